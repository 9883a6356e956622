import { type TurnInput, turnRun } from '#libs/contracts';
import type { Scope } from '#libs/service-kit';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type RecordingServer } from '../../testing/recording-server.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('separation of duties', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;

  beforeAll(async () => {
    world = await engineWorld({ subject: 'key:writer' });
    ({ model, target } = world);
    await world.start();
  });
  afterAll(() => world.close());

  const audit = async (subject: string) =>
    (await world.internal('GET', 'audit?limit=200')).body.data.filter((entry) => entry.subject === subject).reverse();
  const waiting = async (input: Partial<TurnInput>, approvers: string[], decideOwn = false) => {
    const powers = { approvers, approvers_decide_own: decideOwn };
    const agent_id = await agentOf(world, { tools: ['http_request'], may_do: 'read', ...powers });
    const request = JSON.stringify({ method: 'POST', url: `${target.url}/orders` });
    model.script([{ name: 'http_request', arguments: request }], 'Ordered.');
    const turn = turnOf({ agent_id }, input);
    await world.jobs.enqueue(turnRun, turn);
    await turnsOf(world).reaches(turn.turn_id, 'waiting_approval');
    const { rows } = await world.pool.query('SELECT * FROM engine.approval WHERE turn_id = $1', [turn.turn_id]);
    return { turn, approval: rows[0] };
  };

  it.each<[string, object]>([
    ['raise what it may do by itself', { may_do: 'destructive' }],
    ['name its approvers', { approvers: ['key:writer'] }],
    ['name hosts', { allowed_hosts: ['example.com'] }],
    ['let approvers decide over their own turns', { approvers_decide_own: true }],
  ])(
    'lets nobody who only writes agents %s, neither at creation nor later, not even as admin',
    async (_what, powers) => {
      const scopes: Scope[] = ['agents:write', 'admin'];
      const made = (await world.call('POST', 'agents', { name: 'Desk', instructions: '' }, { scopes })).body;
      for (const held of [['agents:write'], scopes] as Scope[][]) {
        const create = await world.call(
          'POST',
          'agents',
          { name: 'Desk', instructions: '', ...powers },
          { scopes: held },
        );
        const change = await world.call('PATCH', `agents/${made.id}`, powers, { scopes: held });
        for (const { status, body } of [create, change]) {
          expect([status, body.code]).toEqual([403, 'scope_missing']);
          expect(body.detail).toContain('approvals:manage, which admin does not include');
        }
      }
      expect(
        (await world.call('PATCH', `agents/${made.id}`, { may_do: 'read' }, { scopes: ['agents:write'] })).status,
      ).toBe(200);
      expect(
        (await world.call('PATCH', `agents/${made.id}`, { may_do: 'write' }, { scopes: ['agents:write'] })).status,
      ).toBe(403);
      const manager: Scope[] = ['agents:write', 'approvals:manage'];
      expect((await world.call('PATCH', `agents/${made.id}`, powers, { scopes: manager })).body).toMatchObject(powers);
    },
  );

  it('records for good who changed which powers of an agent, with old and new values', async () => {
    const scopes: Scope[] = ['agents:write', 'approvals:manage'];
    const owner = { scopes, subject: 'key:owner', headers: { 'x-request-id': 'request-of-owner' } };
    const { id } = (await world.call('POST', 'agents', { name: 'Desk', instructions: '' }, owner)).body;
    await world.call('PATCH', `agents/${id}`, { instructions: 'Other.' }, owner);
    await world.call('PATCH', `agents/${id}`, { may_do: 'destructive', approvers: ['key:b'] }, owner);
    await world.call('DELETE', `agents/${id}`, undefined, owner);
    const by = { actor: 'key:owner', request_id: 'request-of-owner', at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(await audit(id)).toMatchObject([
      { ...by, action: 'agent.created', before: null, after: { may_do: 'write', approvers: [] } },
      {
        ...by,
        action: 'agent.changed',
        before: { may_do: 'write', approvers: [] },
        after: { may_do: 'destructive', approvers: ['key:b'] },
      },
      { ...by, action: 'agent.deleted', before: { may_do: 'destructive' }, after: null },
    ]);
    await expect(world.pool.query("UPDATE engine.audit SET actor = 'key:other'")).rejects.toThrow(/new rows alone/);
    await expect(world.pool.query('DELETE FROM engine.audit')).rejects.toThrow(/new rows alone/);
  });

  it('lets nobody decide on what they requested through the API', async () => {
    const { turn, approval } = await waiting({ started_by: ['key:a'] }, ['key:a', 'key:b']);
    const decide = (subject: string) =>
      world.call('POST', `approvals/${approval.id}/approve`, { note: 'ok' }, { scopes: ['approvals:decide'], subject });
    const own = await decide('key:a');
    expect([own.status, own.body.code]).toEqual([403, 'own_request']);
    expect(own.body.detail).toContain('another approver');
    expect(target.calls).toEqual([]);
    expect((await decide('key:b')).body).toMatchObject({ state: 'approved', requested_by: ['key:a'] });
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect(await audit(approval.id)).toMatchObject([
      {
        actor: 'key:b',
        action: 'approval.approved',
        before: { state: 'pending' },
        after: { state: 'approved', note: 'ok', tool: 'http_request' },
      },
    ]);
  });

  it('treats a member and the keys that they created as one person', async () => {
    const approvers = ['user:ada', 'key:of-ada', 'key:of-grace'];
    const { turn, approval } = await waiting({ started_by: ['user:ada'] }, approvers);
    const decide = async (subject: string, person?: string) => {
      const path = `approvals/${approval.id}/approve`;
      const { status, body } = await world.call(
        'POST',
        path,
        {},
        { scopes: ['approvals:decide'], subject, ...(person === undefined ? {} : { person }) },
      );
      return [status, body.code];
    };
    expect(await decide('user:ada')).toEqual([403, 'own_request']);
    expect(await decide('key:of-ada', 'user:ada')).toEqual([403, 'own_request']);
    expect(await decide('key:of-grace', 'user:grace')).toEqual([200, undefined]);
    // It asks the model once more; otherwise it would take the next test's answer.
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
  });

  it.each([
    ['the key that made it', 'key:root'],
    ['a key that it made', 'key:grandchild'],
    ['a key of the same maker', 'key:sibling'],
  ])('treats keys of one chain as one: %s does not decide on what a key requested', async (_what, subject) => {
    const { turn, approval } = await waiting({ started_by: ['key:root'] }, [subject, 'key:of-other']);
    const path = `approvals/${approval.id}`;
    for (const decision of ['approve', 'refuse']) {
      const answer = await world.call(
        'POST',
        `${path}/${decision}`,
        {},
        { scopes: ['approvals:decide'], subject, person: 'key:root' },
      );
      expect([answer.status, answer.body.code]).toEqual([403, 'own_request']);
      expect(answer.body.detail).toContain('key:root');
    }
    const other = await world.call(
      'POST',
      `${path}/approve`,
      {},
      { scopes: ['approvals:decide'], subject: 'key:of-other', person: 'key:other-root' },
    );
    expect(other.status).toBe(200);
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
  });

  it('lets a person decide over a turn of their own where the agent says so, and no key', async () => {
    const { turn, approval } = await waiting({ started_by: ['user:boss', 'key:root'] }, ['user:boss', 'key:kin'], true);
    const path = `approvals/${approval.id}/approve`;
    const byKey = await world.call(
      'POST',
      path,
      {},
      { scopes: ['approvals:decide'], subject: 'key:kin', person: 'key:root' },
    );
    expect([byKey.status, byKey.body.code]).toEqual([403, 'own_request']);
    expect(
      (await world.call('POST', path, {}, { scopes: ['approvals:decide'], subject: 'user:boss' })).body,
    ).toMatchObject({ decide_own: true });
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
  });

  it('lets no contact decide on what it requested by a message', async () => {
    const { turn, approval } = await waiting({ contact_id: 'con_boss' }, ['contact:con_boss', 'contact:con_other']);
    const says = async (contact_id: string) => {
      const message = { ...turnOf().input!.message, message: `approve ${approval.id}` };
      return (await turnsOf(world).run(turnOf({}, { contact_id, message }))).reply_text;
    };
    expect(await says('con_boss')).toContain('started the turn that asks for this call');
    expect(await turnsOf(world).row(turn.turn_id)).toMatchObject({ state: 'waiting_approval' });
    expect(await says('con_other')).toBe('The call of http_request was approved.');
    expect(await audit(approval.id)).toMatchObject([{ actor: 'contact:con_other', request_id: null }]);
  });
});
