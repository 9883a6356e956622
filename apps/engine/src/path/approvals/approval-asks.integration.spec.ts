import { turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { type FakeServices } from '../../testing/fake-services.js';
import { type RecordingServer } from '../../testing/recording-server.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

/** What the gateway is asked to send. */
interface Asked {
  app_id: string;
  channel_address: string;
  idempotency_key: string;
  message: { text: string; thread_id?: string; actions: { id: string; value: string }[] };
}

let world: EngineWorld;
let model: FakeModel;
let target: RecordingServer;
let services: FakeServices;

const address = { app_id: 'app_dm', channel_address: 'D1', thread_id: null, reply_context: null, sender: 'U1' };

beforeAll(async () => {
  world = await engineWorld();
  ({ model, target, services } = world);
  await world.start({
    ROUTER_URL: services.url,
    GATEWAY_URL: services.url,
    APPROVAL_ASK_CHARS: 200,
  });
});
beforeEach(() => {
  services.requests.splice(0);
  target.calls.length = 0;
  services.on('/internal/contacts/con_boss/private-address', () => ({ address }));
  services.on('/internal/contacts/con_other/private-address', () => ({ address: null }));
  services.on('/internal/adapter-calls/deliver', () => ({ delivery_id: 'dlv_1', state: 'delivered', error: null }));
});
afterAll(() => world.close());

const sent = () => services.bodies<Asked>('/internal/adapter-calls/deliver');

/** A turn that waits for the approvers. */
async function waiting(approvers: string[], body = 'x', input: Parameters<typeof turnOf>[1] = {}) {
  const agent = await agentOf(world, { tools: ['http_request'], may_do: 'read', approvers });
  await world.pool.query(`UPDATE engine.agent SET name = 'Buyer *1*' WHERE id = $1`, [agent]);
  const call = {
    name: 'http_request',
    arguments: JSON.stringify({ method: 'POST', url: `${target.url}/orders`, body }),
  };
  model.script([call], 'Ordered.');
  const turn = turnOf({ agent_id: agent }, input);
  await world.jobs.enqueue(turnRun, turn);
  await turnsOf(world).reaches(turn.turn_id, 'waiting_approval');
  const { rows } = await world.pool.query('SELECT id FROM engine.approval WHERE turn_id = $1', [turn.turn_id]);
  return { turn, id: String(rows[0].id) };
}

const asksOf = async (id: string) => {
  const sql = 'SELECT contact_id, state, reason, delivery_id FROM engine.approval_ask WHERE approval_id = $1';
  return (await world.pool.query(sql, [id])).rows;
};
const noted = (turnId: string, reason: string) =>
  until(`the timeline says ${reason}`, async () => {
    const sql = `SELECT detail FROM ${everyEntry} e WHERE detail ->> 'turn' = $1 AND subject_id IS NULL AND reason = $2`;
    return (await world.pool.query(sql, [turnId, reason])).rows[0]?.detail;
  });

/** The answer to a press of a choice. */
async function press(
  action: { id: string; value: string },
  contact_id: string,
  over: Parameters<typeof turnOf>[1] = {},
) {
  const message = { event_type: 'action', sender: 'U1', message: action.value, is_bot: false, metadata: { action } };
  return (await turnsOf(world).run(turnOf({}, { contact_id, message, ...over }))).reply_text;
}

describe('an approver who is a contact', () => {
  it('is asked once in a conversation of their own, and a press decides once', async () => {
    const { turn, id } = await waiting(['contact:con_boss', 'key:test']);
    expect(await noted(turn.turn_id, 'approval_asked')).toMatchObject({ contact: 'con_boss', delivery_id: 'dlv_1' });
    const [asked] = sent();
    expect(asked).toMatchObject({ app_id: 'app_dm', channel_address: 'D1', message: { actions_for: 'U1' } });
    expect(asked?.message.text).toContain(String.raw`the agent Buyer \*1\* asks to call`);
    expect(asked?.message.text).toContain('/orders');
    const [approve, refuse] = asked?.message.actions ?? [];
    if (!approve || !refuse) throw new Error('no choices');
    expect(approve.value).not.toContain(id);
    const before = model.requests.length;
    expect(await press(approve, 'con_other')).toContain('not for you');
    expect(await press(approve, 'con_boss', { trust: 'unknown' })).toContain('not for you');
    expect(await press(approve, 'con_boss', { verified: false })).toContain('not for you');
    expect(await press({ ...approve, value: 'approval:guessed' }, 'con_boss')).toContain('not for you');
    expect(await press(approve, 'con_boss', { rehearsal: true })).toContain('rehearsal');
    expect(model.requests.length).toBe(before);
    expect(target.calls).toEqual([]);
    expect(await press(approve, 'con_boss')).toBe('The call of http_request was approved.');
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect(await press(refuse, 'con_boss')).toBe('The approval is approved.');
    expect(target.calls).toHaveLength(1);
    expect(sent()).toHaveLength(1);
  });

  it('of another project presses, and nothing is decided', async () => {
    const { turn } = await waiting(['contact:con_boss']);
    await noted(turn.turn_id, 'approval_asked');
    const [approve] = sent()[0]?.message.actions ?? [];
    const { rows } = await world.pool.query('SELECT project_id FROM engine.approval WHERE turn_id = $1', [
      turn.turn_id,
    ]);
    expect(rows[0].project_id).toBe(home.projectId);
    await world.pool.query(`UPDATE engine.approval_ask SET project_id = 'prj_other'`);
    expect(await press(approve ?? { id: '', value: '' }, 'con_boss')).toContain('not for you');
  });

  it('is asked again until the gateway answers, under the same key', async () => {
    services.on('/internal/adapter-calls/deliver', () => ({ status: 503, code: 'service_unavailable' }));
    const { turn, id } = await waiting(['contact:con_boss']);
    await until('it was tried', async () => (await asksOf(id))[0]?.reason !== null);
    services.on('/internal/adapter-calls/deliver', () => ({ delivery_id: 'dlv_2', state: 'queued', error: null }));
    await world.pool.query('UPDATE engine.approval_ask SET due_at = now()');
    expect(await noted(turn.turn_id, 'approval_asked')).toMatchObject({ delivery_id: 'dlv_2' });
    const tries = sent();
    expect(tries.length).toBeGreaterThan(1);
    expect(new Set(tries.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('who has no conversation of their own is not asked, and the timeline says why', async () => {
    const { turn, id } = await waiting(['contact:con_other']);
    const entry = await noted(turn.turn_id, 'approval_not_asked');
    expect(entry).toMatchObject({ contact: 'con_other', error: 'no_private_address' });
    expect(await asksOf(id)).toMatchObject([{ state: 'dead', reason: 'no_private_address' }]);
    expect(sent()).toEqual([]);
  });

  it('is not asked about a turn that they started', async () => {
    const { id } = await waiting(['contact:con_boss', 'contact:con_other'], 'x', { contact_id: 'con_boss' });
    expect(await asksOf(id)).toMatchObject([{ contact_id: 'con_other' }]);
  });

  it('is not asked about a call that was decided meanwhile', async () => {
    services.on('/internal/adapter-calls/deliver', () => ({ status: 503, code: 'service_unavailable' }));
    const { id } = await waiting(['contact:con_boss']);
    await until('it was tried', async () => (await asksOf(id))[0]?.reason !== null);
    await world.pool.query(`UPDATE engine.approval SET state = 'cancelled' WHERE id = $1`, [id]);
    const before = sent().length;
    await world.pool.query('UPDATE engine.approval_ask SET due_at = now()');
    await until('it ended', async () => (await asksOf(id))[0]?.state === 'dead');
    expect(sent()).toHaveLength(before);
  });

  it('reads how much of a long call is missing, and no fence of it ends the block', async () => {
    const { turn } = await waiting(['contact:con_boss'], `\`\`\`\n${'y'.repeat(500)}`);
    await noted(turn.turn_id, 'approval_asked');
    const text = sent()[0]?.message.text ?? '';
    expect(text).toContain('````json');
    expect(text).toMatch(/\*\*\d{3} characters are not shown here:\*\*/);
    expect(text.length).toBeLessThan(900);
  });
});
