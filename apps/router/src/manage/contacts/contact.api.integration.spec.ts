import { newId } from '#libs/contracts';
import type { UnknownSenders } from '../../entities/rules.entity.js';
import type { MessageRow, Target } from '../../entities/message.entity.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { ContactDetail } from './contact.service.js';

describe('contacts', () => {
  let world: RouterWorld;
  let routing: RoutingService;

  beforeAll(async () => {
    world = await routerWorld();
    routing = (await world.start()).get(RoutingService, { strict: false });
  });
  afterAll(() => world.close());

  const channel = (unknown_senders: UnknownSenders): Promise<string> => world.channel({ unknown_senders });
  const receive = async (appId: string, sender: string, message = 'hello', over: object = {}): Promise<MessageRow> => {
    const job = jobOf(appId, { sender, message, ...over });
    await routing.route(job, 1);
    return world.message(job.receipt_id);
  };
  const turnsOf = async (row: MessageRow): Promise<Pick<Target, 'turn_id' | 'input'>[]> => {
    const [stored] = await world.messages('WHERE id = $1', [row.id]);
    const rerouted = await world.query<{ payload: Target }>(
      'SELECT payload FROM router.stale_handover WHERE owner_id = $1',
      [row.id],
    );
    return [...(stored?.turns ?? []), ...rerouted.map(({ payload }) => payload)];
  };
  const post = async <T>(path: string, body: object = {}): Promise<T> => {
    const answer = await world.call<T>('POST', path, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };

  it('hold a message from an unknown sender, and it continues once when the sender is admitted', async () => {
    const row = await receive(newId('app'), 'stranger');
    expect(row).toMatchObject({ outcome: 'held_unknown_sender', released_at: null });
    expect(await turnsOf(row)).toHaveLength(0);
    const held = await world.call<{ data: MessageRow[] }>('GET', 'held-messages?outcome=held_unknown_sender');
    expect(held.body.data.map(({ id }) => id)).toContain(row.id);
    const admit = () => post<{ released: number }>(`contacts/${row.contact_id}/admit`);
    const answers = await Promise.all([admit(), admit(), admit()]);
    expect(answers.map(({ released }) => released).sort()).toEqual([0, 0, 1]);
    const turns = await turnsOf(row);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.input).toMatchObject({ trust: 'known', contact_id: row.contact_id });
    expect(await receive(row.app_id, 'stranger', 'again')).toMatchObject({ outcome: 'routed' });
  });

  it('hold nothing of the built-in Webhook App, which has no contacts', async () => {
    const job = jobOf(newId('app'), { sender: 'anybody' }, { app_kind: 'builtin' });
    await routing.route(job, 1);
    const row = await world.message(job.receipt_id);
    expect(row).toMatchObject({ outcome: 'routed', contact_id: null });
    expect((await turnsOf(row))[0]?.input.trust).toBe('builtin');
  });

  it('read as whom people set and as their own addresses, while they are known, and the audit log has who set it', async () => {
    const { contact_id: id } = await receive(newId('app'), 'Ana@example.com');
    const readsAs = async () =>
      (await world.internal<{ reads_as: string[] }>('GET', `contacts/${id}/reads-as`)).body.reads_as;
    const set = await world.call<ContactDetail>('PATCH', `contacts/${id}`, {
      reads_as: ['Group:Finance', 'group:finance'],
    });
    expect(set.body.reads_as).toEqual(['group:finance']);
    expect(await readsAs()).toEqual([]);
    await post(`contacts/${id}/admit`);
    expect(await readsAs()).toEqual(['group:finance', 'ana@example.com']);
    const impostor = await receive(newId('app'), 'group:finance');
    await post(`contacts/${impostor.contact_id}/admit`);
    expect((await world.internal('GET', `contacts/${impostor.contact_id}/reads-as`)).body).toEqual({ reads_as: [] });
    const wrong = await world.call('PATCH', `contacts/${id}`, { reads_as: ['finance'] });
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ field: 'reads_as' }] } });
    const audit = await world.query('SELECT before, after FROM router.audit WHERE subject = $1', [id]);
    expect(audit).toEqual([{ before: { reads_as: [] }, after: { reads_as: ['group:finance'] } }]);
  });

  it('let anybody in where the channel is open, as unknown', async () => {
    const row = await receive(await channel('open'), 'guest');
    expect(row.outcome).toBe('routed');
    expect((await turnsOf(row))[0]?.input.trust).toBe('unknown');
  });

  it('drop an unknown sender where the channel says so', async () => {
    expect(await receive(await channel('drop'), 'guest')).toMatchObject({
      outcome: 'ignored',
      reason: 'unknown_sender',
    });
  });

  it('admit whoever sends a pairing code, once and through that App only', async () => {
    const [appId, other] = [await channel('pair'), await channel('pair')];
    const { code } = await post<{ code: string }>('contacts/pairing-codes', { app_id: appId });
    expect(code).toMatch(/^[2-9B-DF-HJ-NP-TV-XZ]{8}$/);
    expect(await receive(other, 'mallory', code)).toMatchObject({ outcome: 'held_unknown_sender' });
    const before = await receive(appId, 'bob', 'hi');
    expect(before).toMatchObject({ outcome: 'held_unknown_sender', reason: 'not_paired' });
    const others = await receive(appId, 'eve', 'hi');
    expect(await receive(appId, 'bob', ` ${code.toLowerCase()}\n`)).toMatchObject({
      outcome: 'ignored',
      reason: 'paired',
    });
    expect(await turnsOf(before)).toMatchObject([{ input: { trust: 'known' } }]);
    expect(await turnsOf(others)).toHaveLength(0);
    expect(await receive(appId, 'bob', 'hi')).toMatchObject({ outcome: 'routed' });
    expect(await receive(appId, 'carol', code)).toMatchObject({ outcome: 'held_unknown_sender' });
  });

  it('refuse an expired pairing code', async () => {
    const appId = await channel('pair');
    const { code } = await post<{ code: string }>('contacts/pairing-codes', { app_id: appId });
    await world.pool.query(`UPDATE router.pairing_code SET expires_at = now() WHERE app_id = $1`, [appId]);
    expect(await receive(appId, 'late', code)).toMatchObject({ outcome: 'held_unknown_sender' });
  });

  it('that are blocked are not routed until they are unblocked and admitted', async () => {
    const { contact_id: id, app_id } = await receive(newId('app'), 'pest');
    await post(`contacts/${id}/block`);
    expect(await receive(app_id, 'pest')).toMatchObject({ outcome: 'blocked_contact', reason: 'blocked' });
    await post(`contacts/${id}/unblock`);
    expect(await receive(app_id, 'pest')).toMatchObject({ outcome: 'held_unknown_sender' });
    await post(`contacts/${id}/admit`);
    expect(await receive(app_id, 'pest')).toMatchObject({ outcome: 'routed' });
  });

  it('count as one when merged, and get their own back when unmerged', async () => {
    const [mail, chat] = [await receive(newId('app'), 'dora@mail'), await receive(newId('app'), 'dora')];
    const [a, b] = [mail.contact_id as string, chat.contact_id as string];
    await post(`contacts/${a}/admit`);
    const merged = await post<ContactDetail>(`contacts/${b}/merge`, { into: a });
    expect(merged.merged).toEqual([b]);
    expect(merged.identities.map(({ sender }) => sender).sort()).toEqual(['dora', 'dora@mail']);
    const during = await receive(chat.app_id, 'dora', 'merged');
    expect(during).toMatchObject({ outcome: 'routed', contact_id: b });
    expect((await turnsOf(during))[0]?.input.contact_id).toBe(a);
    const history = async (id: string): Promise<string[]> => {
      const { body } = await world.call<{ data: MessageRow[] }>('GET', `contacts/${id}/messages`);
      return body.data.map((row) => row.id).sort();
    };
    expect(await history(a)).toEqual([mail.id, chat.id, during.id].sort());
    expect((await world.call('POST', `contacts/${b}/block`, {})).status).toBe(409);
    await post(`contacts/${b}/unmerge`);
    expect(await history(a)).toEqual([mail.id]);
    expect(await history(b)).toEqual([chat.id, during.id].sort());
    expect(await receive(chat.app_id, 'dora', 'on my own')).toMatchObject({ outcome: 'held_unknown_sender' });
  });

  it('are routed no more a day than their budget', async () => {
    const appId = await channel('open');
    const { contact_id: id } = await receive(appId, 'spender');
    expect((await world.call('PATCH', `contacts/${id}`, { daily_budget: 2 })).status).toBe(200);
    const outcomes = [];
    for (const text of ['one', 'two', 'three']) outcomes.push((await receive(appId, 'spender', text)).outcome);
    expect(outcomes).toEqual(['routed', 'routed', 'blocked_contact']);
  });

  it('do not take a look-alike for the same sender', async () => {
    const { contact_id: id, app_id } = await receive(newId('app'), 'boss');
    await post(`contacts/${id}/admit`);
    const row = await receive(app_id, 'bo\u200bss');
    expect(row).toMatchObject({ outcome: 'held_unknown_sender' });
    expect(row.message.sender).toMatch(/^boss \([0-9a-f]{12}\)$/);
    expect(row.sanitizer_report).toMatchObject({ sender: { counts: { invisible_characters: 1 } } });
  });

  it('are found by a part of the name or the beginning of an address, in their project', async () => {
    const app = newId('app');
    const { contact_id: id } = await receive(app, 'Ann_b@example.com');
    await receive(app, 'annxb@example.com');
    await world.call('PATCH', `contacts/${id}`, { name: 'Grace Hopper' });
    const found = async (search: string): Promise<string[]> => {
      const path = `contacts?search=${encodeURIComponent(search)}`;
      return (await world.call<{ data: { id: string }[] }>('GET', path)).body.data.map((contact) => contact.id);
    };
    expect(await found('ann_B@')).toEqual([id]);
    expect(await found('ce hop')).toEqual([id]);
    expect(await found('example.com')).not.toContain(id);
    await world.query('UPDATE router.contact_identity SET project_id = $2 WHERE contact_id = $1', [id, newId('prj')]);
    expect(await found('ann_B@')).toEqual([]);
  });

  it('of another project are not shown', async () => {
    const { contact_id: id } = await receive(newId('app'), 'private');
    await world.pool.query('UPDATE router.contact SET project_id = $2 WHERE id = $1', [id, newId('prj')]);
    for (const path of ['admit', 'block', 'resume']) {
      expect((await world.call('POST', `contacts/${id}/${path}`, {})).status).toBe(404);
    }
  });
});
