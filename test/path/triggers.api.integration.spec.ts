import { isUntrusted, newId } from '#libs/contracts';
import { until } from '#libs/testing';
import type { RunDetailView, RunRow } from '#libs/views';
import type { SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import {
  routePolicies,
  type RoutePolicy,
  type TriggerRow,
  type WorkflowRow,
} from '../../apps/router/src/entities/rules.entity.js';
import type { MessageRow } from '../../apps/router/src/entities/message.entity.js';
import { caller } from '../../apps/router/src/testing/router-world.js';
import type { DryRunView } from '../../apps/router/src/manage/workflows/trigger.dto.js';
import { type PathWorld, pathWorld } from './path-world.js';

describe('triggers and runs', () => {
  let world: PathWorld;

  beforeAll(async () => {
    world = await pathWorld();
  });
  afterEach(() => world.setTime(null));
  afterAll(() => world.close());

  const post = async <T>(path: string, body: object = {}, headers: Record<string, string> = {}) =>
    world.call<T>('POST', path, body, { headers });
  const workflow = async (): Promise<number> =>
    (await post<WorkflowRow>('workflows', { name: 'w', instructions: 'first' })).body.id;
  const app = (route_policy: RoutePolicy = 'triggers'): Promise<string> =>
    world.channel({ unknown_senders: 'open', route_policy });
  const trigger = async (app_id: string, rules: object = {}): Promise<TriggerRow> => {
    const answer = await post<TriggerRow>('triggers', { app_id, workflow_id: await workflow(), ...rules });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const receive = async (appId: string, over: object = {}): Promise<MessageRow> => {
    const receipt = await world.receive(appId, over);
    return world.message(receipt);
  };
  const runsOf = async ({ receipt_id }: Pick<MessageRow, 'receipt_id'>): Promise<RunRow[]> => {
    const { body } = await world.call<{ runs: RunRow[] }>('GET', `events/${receipt_id}`);
    return body.runs;
  };
  const turnOf = async (run: Pick<RunRow, 'id'> | undefined): Promise<SessionTurnView> => {
    const { body } = await world.call<RunDetailView>('GET', `runs/${run?.id}`);
    return world.turn(body.turns.at(-1)?.id ?? '');
  };
  const finish = (id: string, state: 'succeeded' | 'failed', error: string | null = null) =>
    world.finish(id, { state, error });

  it('show for every trigger of the App what came of it, and why', async () => {
    const appId = await app();
    const [yes, type, clause, broken] = [
      await trigger(appId, { event_types: ['paid', 'sent'], where: 'metadata.amount > 10' }),
      await trigger(appId, { event_types: ['sent'] }),
      await trigger(appId, { where: 'event.verified && event.sender == "bob"' }),
      await trigger(appId, { where: 'metadata.total > 1' }),
    ];
    const row = await receive(appId, { event_type: 'paid', metadata: { amount: 11 } });
    expect(row.outcome).toBe('routed');
    expect(Object.fromEntries(row.verdicts.map((each) => [each.trigger_id, [each.verdict, each.reason]]))).toEqual({
      [yes.id]: ['matched', null],
      [type.id]: ['filtered', 'event_type is paid, not sent'],
      [clause.id]: ['filtered', 'event.sender == "bob": event.sender is "ada"'],
      [broken.id]: ['filter_error', expect.stringContaining('No such key: total')],
    });
    expect(await runsOf(row)).toHaveLength(1);
  });

  it('compare the types that can be seen, however they were copied', async () => {
    const appId = await app();
    const copied = await trigger(appId, { event_types: ['pa\u200bid\ufeff', '\u202esent', 'cafe\u0301'] });
    expect(copied.event_types).toEqual(['paid', 'sent', 'caf\u00e9']);
    for (const event_type of ['paid', 'pa\u200bid', 'sent', 'caf\u00e9', 'cafe\u0301']) {
      expect(await receive(appId, { event_type })).toMatchObject({ outcome: 'routed' });
    }
    for (const nothing of ['', '\u200b', '\u202e\ufeff']) {
      const rules = { app_id: appId, workflow_id: copied.workflow_id, event_types: ['paid', nothing] };
      const errors = [{ field: 'event_types', message: expect.stringContaining('can be seen') }];
      expect(await post('triggers', rules)).toMatchObject({ status: 422, body: { errors } });
      expect(await post('triggers/dry-run', rules)).toMatchObject({ status: 422 });
    }
  });

  it('park a message whose only filter failed; it is routed once the filter is correct', async () => {
    const appId = await app();
    const { id } = await trigger(appId, { where: 'metadata.total > 1' });
    const row = await receive(appId);
    expect(row).toMatchObject({ outcome: 'parked', reason: 'filter_error' });
    expect(await world.call('PATCH', `triggers/${id}`, { where: '!has(metadata.total)' })).toMatchObject({
      status: 200,
    });
    const once = { 'idempotency-key': newId('req') };
    const release = () =>
      post<{ released: string[]; run_ids: string[] }>('held-messages/release', { message_ids: [row.id] }, once);
    const released = await release();
    expect(released.body).toMatchObject({ released: [row.id], run_ids: [expect.stringMatching(/^run_/)] });
    expect((await release()).body).toEqual(released.body);
    expect(
      (await post<{ released: string[] }>('held-messages/release', { message_ids: [row.id] })).body.released,
    ).toEqual([]);
  });

  it('refuse an expression that cannot run, with its place, and keep the old one', async () => {
    const appId = await app();
    const answer = await post<{ code: string; errors: unknown[] }>('triggers', {
      app_id: appId,
      workflow_id: await workflow(),
      where: 'true && event.nope == "x"',
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'invalid_filter', errors: [{ field: 'where', message: expect.stringContaining('14-18') }] },
    });
    const { id } = await trigger(appId, { where: 'event.is_dm' });
    expect(await world.call('PATCH', `triggers/${id}`, { where: '1 +' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_filter' },
    });
    expect(await world.row('SELECT "where" FROM router.trigger WHERE id = $1', [id])).toEqual({ where: 'event.is_dm' });
  });

  it('are tried on stored messages without starting anything', async () => {
    const appId = await app();
    await receive(appId, { message: 'red' });
    const green = await receive(appId, { message: 'green' });
    const { body } = await post<{ verdicts: object[] }>('triggers/dry-run', {
      app_id: appId,
      where: 'event.message == "green" || metadata.x == 1',
    });
    expect(body).toMatchObject({ problem: null, tried: 2, matched: 1, filter_error: 1 });
    expect(body.verdicts[0]).toMatchObject({ message_id: green.id, verdict: 'matched' });
    expect(await runsOf(green)).toEqual([]);
    const one = { app_id: appId, event_id: green.receipt_id, where: 'event.sender == "bob" && metadata.x == 1' };
    expect((await post('triggers/dry-run', one)).body).toMatchObject({
      tried: 1,
      filtered: 1,
      verdicts: [
        {
          message_id: green.id,
          text: 'green',
          clauses: [
            { clause: 'event.sender == "bob"', result: 'false', seen: 'event.sender is "ada"' },
            { clause: 'metadata.x == 1', result: 'error', seen: expect.stringContaining('No such key') },
          ],
        },
      ],
    });
    expect(await post('triggers/dry-run', { app_id: appId, where: 'true && nope' })).toMatchObject({
      status: 200,
      body: { tried: 0, problem: { start: 8, end: 12, message: expect.stringContaining('nope') } },
    });
  });

  it('compare and calculate with the numbers of stored messages, whatever is written in the expression', async () => {
    const appId = await app();
    for (const amount of [150, 99.5, '150']) await receive(appId, { metadata: { amount } });
    const tryOut = async (where: string) => {
      const { body } = await post<DryRunView>('triggers/dry-run', { app_id: appId, where });
      return [body.problem, body.verdicts.toReversed().map(({ verdict }) => verdict)];
    };
    expect(await tryOut('metadata.amount > 100')).toEqual([null, ['matched', 'filtered', 'filter_error']]);
    expect(await tryOut('metadata.amount * 2 - 1 >= 198')).toEqual([null, ['matched', 'matched', 'filter_error']]);
    expect(await tryOut('metadata.amount in [150, 99.5]')).toEqual([null, ['matched', 'matched', 'filtered']]);
    expect(await tryOut('double(metadata.amount) % 2 == 0')).toEqual([null, ['matched', 'filtered', 'matched']]);
    const { body } = await post<DryRunView>('triggers/dry-run', { app_id: appId, where: 'metadata.amount > 100' });
    expect(body.verdicts[0]?.reason).toContain('> cannot be used with a text and a number: double(');
    expect(body.verdicts[0]?.reason).toContain('metadata.amount is "150"');
    const { id } = await trigger(appId, { where: 'metadata.amount / 4 > 30' });
    const row = await receive(appId, { metadata: { amount: 121 } });
    expect(row).toMatchObject({ outcome: 'routed', verdicts: [{ trigger_id: id, verdict: 'matched' }] });
  });

  it('read headers and query of the webhook, of stored messages too, and do without where there are none', async () => {
    const appId = await app();
    const where = `"x-github-event" in request.headers && request.headers["x-github-event"] == "push" && request.query.x == "1"`;
    const { id } = await trigger(appId, { where });
    const request = { headers: { 'x-github-event': 'push', 'user-agent': 'a\u202eb' }, query: { x: '1' } };
    const byWebhook = async (over: object): Promise<MessageRow> => {
      const receipt = await world.receive(appId, {}, over);
      return world.message(receipt);
    };
    const matched = await byWebhook({ request });
    const clean = { ...request, headers: { ...request.headers, 'user-agent': 'ab' } };
    expect(matched).toMatchObject({ outcome: 'routed', request: clean, verdicts: [{ trigger_id: id }] });
    const other = { ...request, headers: { 'x-github-event': 'ping' } };
    expect((await byWebhook({ request: other })).verdicts).toMatchObject([
      { verdict: 'filtered', reason: expect.stringContaining('request.headers["x-github-event"] is "ping"') },
    ]);
    expect(await byWebhook({})).toMatchObject({ request: null, verdicts: [{ verdict: 'filtered' }] });
    const { body } = await post<DryRunView>('triggers/dry-run', { app_id: appId, where });
    expect(body.verdicts.toReversed().map(({ verdict }) => verdict)).toEqual(['matched', 'filtered', 'filtered']);
    const replayed = await post<{ run_ids: string[] }>(`events/${matched.receipt_id}/replay`);
    expect(replayed.body.run_ids).toHaveLength(1);
    expect(
      await post('triggers', { app_id: appId, workflow_id: 1, where: 'request.headers["X-A"] == "b"' }),
    ).toMatchObject({ status: 422, body: { code: 'invalid_filter', detail: expect.stringContaining('write "x-a"') } });
  });

  it('start no more runs than their limits, and say so', async () => {
    const [plain, each] = [await app(), await app()];
    await trigger(plain, { limit_per_minute: 2 });
    await trigger(each, { contact_limit_per_hour: 1 });
    world.setTime(Date.parse('2026-03-02T09:00:01Z'));
    const outcomes = async (appId: string, senders: string[]): Promise<(string | undefined)[]> =>
      (await Promise.all(senders.map((sender) => receive(appId, { sender }))))
        .map((row) => row.verdicts[0]?.verdict)
        .sort();
    expect(await outcomes(plain, ['a', 'b', 'c', 'd'])).toEqual(['matched', 'matched', 'rate_limited', 'rate_limited']);
    expect(await outcomes(each, ['a', 'a', 'b'])).toEqual(['matched', 'matched', 'rate_limited']);
    const over = await receive(plain);
    expect(over).toMatchObject({ outcome: 'no_match', reason: 'rate_limited' });
    world.setTime(Date.parse('2026-03-02T09:01:01Z'));
    expect(await receive(plain)).toMatchObject({ outcome: 'routed' });
  });

  it('wait for a sender to fall silent, but not for ever', async () => {
    const appId = await app();
    await trigger(appId, { debounce_seconds: 10, debounce_max_seconds: 25 });
    const start = Date.parse('2026-03-02T09:00:00Z');
    const first = await atSecond(start, 0, () => receive(appId, { message: '1' }));
    const [run] = await runsOf(first);
    for (const second of [8, 16, 24]) {
      const row = await atSecond(start, second, () => receive(appId, { message: String(second) }));
      expect(row.verdicts).toMatchObject([
        { verdict: 'matched', reason: `joined ${run?.id}, which waits for more messages` },
      ]);
      expect(await runsOf(row)).toEqual([]);
    }
    expect((await turnOf(run)).state).toBe('held');
    world.setTime(start + 25_000);
    // The router's own sweeper hands it over.
    const handover = 'SELECT FROM router.stale_handover WHERE receipt_id = $1 AND payload IS NOT NULL';
    await until('it is handed over', () => world.row(handover, [first.receipt_id]));
    await world.take(first.receipt_id);
    const opened = await turnOf(run);
    expect(opened.state).toBe('open');
    const all = [...(opened.input?.earlier ?? []), ...(opened.input ? [opened.input.message] : [])];
    expect(all.map(({ message }) => message)).toEqual(['1', '8', '16', '24']);
    const next = await atSecond(start, 26, () => receive(appId, { message: 'next' }));
    expect(await runsOf(next)).toMatchObject([{ state: 'suspended' }]);
  });

  it('start another run when the one that waits for more messages is cancelled', async () => {
    const appId = await app();
    await trigger(appId, { debounce_seconds: 60 });
    const [first] = await runsOf(await receive(appId));
    expect(await post<RunRow>(`runs/${first?.id}/cancel`)).toMatchObject({ status: 202, body: { state: 'cancelled' } });
    expect((await turnOf(first)).state).toBe('cancelled');
    const [second] = await runsOf(await receive(appId));
    expect(second).toMatchObject({ state: 'suspended' });
    expect(second?.id).not.toBe(first?.id);
  });

  async function atSecond<T>(start: number, second: number, work: () => Promise<T>): Promise<T> {
    world.setTime(start + second * 1_000);
    return work();
  }

  it('wait while their workflow is suspended, and are released or discarded together', async () => {
    const appId = await app();
    const { workflow_id: id } = await trigger(appId);
    await world.call('PATCH', `workflows/${id}`, { status: 'suspended' });
    const rows = [await receive(appId), await receive(appId)];
    expect(rows[0]?.verdicts).toMatchObject([{ verdict: 'suspended' }]);
    const discard = () =>
      post<{ discarded: number }>(`workflows/${id}/discard`, {}, { 'idempotency-key': 'discard-once' });
    expect((await discard()).body).toEqual({ discarded: 2 });
    expect((await discard()).body).toEqual({ discarded: 2 });
    expect(await runsOf(rows[0] as MessageRow)).toMatchObject([{ state: 'cancelled', error: 'discarded' }]);
    const later = await receive(appId);
    await world.call('PATCH', `workflows/${id}`, { status: 'active' });
    expect(await runsOf(later)).toMatchObject([{ state: 'queued' }]);
    expect((await turnOf((await runsOf(later))[0])).state).toBe('open');
  });

  it('are cancelled at once, also while they run', async () => {
    const appId = await app();
    await trigger(appId);
    const [run] = await runsOf(await receive(appId));
    const cancelled = await post<RunRow>(`runs/${run?.id}/cancel`);
    expect(cancelled).toMatchObject({ status: 202, body: { state: 'cancelled' } });
    expect((await world.call<RunRow>('GET', `runs/${run?.id}`)).body.state).toBe('cancelled');
    expect(await post(`runs/${run?.id}/cancel`)).toMatchObject({ status: 409, body: { code: 'run_ended' } });
  });

  it('are retried unchanged, and replayed as the workflow is today, without a reply unless requested', async () => {
    const appId = await app();
    const { workflow_id: id } = await trigger(appId);
    const [run] = await runsOf(await receive(appId, { metadata: { channel_address: 'room' } }));
    await finish((await turnOf(run)).id, 'failed', 'turn_timeout');
    expect((await world.call<RunRow>('GET', `runs/${run?.id}`)).body.state).toBe('timed_out');
    await world.call('PATCH', `workflows/${id}`, { instructions: 'second' });
    expect((await post<RunRow>(`runs/${run?.id}/retry`)).body).toMatchObject({ id: run?.id, state: 'queued' });
    const retried = await turnOf(run);
    expect(retried.input).toMatchObject({ instructions: 'first', reply: { channel_address: 'room' } });
    await finish(retried.id, 'succeeded');
    expect(await post(`runs/${run?.id}/retry`)).toMatchObject({ status: 409, body: { code: 'run_not_failed' } });
    const replay = (await post<RunRow>(`runs/${run?.id}/replay`)).body;
    const rehearsed = { replay: true, rehearsal: true, replay_of: run?.id, workflow_id: id, state: 'queued' };
    expect(replay).toMatchObject(rehearsed);
    expect((await turnOf(replay)).input).toMatchObject({ instructions: 'second', reply: null, rehearsal: true });
    const delivered = (await post<RunRow>(`runs/${run?.id}/replay`, { deliver: true })).body;
    expect(delivered).toMatchObject({ replay: true, rehearsal: false });
    expect((await turnOf(delivered)).input?.reply).toMatchObject({ channel_address: 'room' });
    expect((await turnOf(delivered)).input).not.toHaveProperty('rehearsal');
  });

  it('are started by the API once per key, and waited for no longer than allowed', async () => {
    const id = await workflow();
    const start = (message: string, wait = '', key = 'k-1') =>
      post<RunRow>(`workflows/${id}/runs${wait}`, { message, metadata: { b: 1, a: 2 } }, { 'idempotency-key': key });
    const [first, second] = await Promise.all([start('go'), start('go')]);
    expect(first.body.id).toBe(second.body.id);
    expect([first, second].filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(1);
    expect(await start('another')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await start('go', '?wait=300')).toMatchObject({ status: 202, body: { state: 'queued' } });
    const waiting = start('quick', '?wait=2', 'k-2');
    const quick = "SELECT id FROM engine.turn WHERE input -> 'message' ->> 'message' = 'quick'";
    const turn = await until('its turn is there', () => world.row<{ id: string }>(quick));
    await finish(turn.id, 'succeeded');
    expect(await waiting).toMatchObject({ status: 200, body: { state: 'succeeded' } });
    expect((await post('workflows/999/runs')).status).toBe(404);
    const other = await world.query('SELECT DISTINCT project_id FROM engine.turn WHERE workflow_id = $1', [id]);
    expect(other).toEqual([{ project_id: caller.projectId }]);
  });

  it('are started by the API on the words of its caller, or of people, as it says', async () => {
    const id = await workflow();
    const trustOf = async (body: object): Promise<boolean> => {
      const { body: started } = await post<RunRow>(`workflows/${id}/runs`, { message: 'go', ...body });
      return isUntrusted((await turnOf(started)).input ?? {});
    };
    expect(await trustOf({})).toBe(false);
    expect(await trustOf({ text_from: 'system' })).toBe(false);
    expect(await trustOf({ text_from: 'people' })).toBe(true);
    expect((await post(`workflows/${id}/runs`, { message: 'go', text_from: 'nobody' })).status).toBe(422);
    const [key, message] = [{ 'idempotency-key': 'k-words' }, 'the same'];
    await post(`workflows/${id}/runs`, { message, text_from: 'people' }, key);
    expect((await post(`workflows/${id}/runs`, { message }, key)).status).toBe(422);
  });

  it('start besides the Chief of Staff, or instead of it, as the channel says', async () => {
    for (const policy of routePolicies) {
      const appId = await app(policy);
      await trigger(appId, { event_types: ['issue_opened'] });
      for (const event_type of ['issue_opened', 'issue_closed']) {
        const { receipt_id } = await receive(appId, { event_type, sender: newId('msg') });
        const turns = await world.turnsOf(receipt_id);
        const [sessions, runs] = [
          turns.filter(({ session_id }) => session_id !== null).length,
          turns.filter(({ run_id }) => run_id !== null).length,
        ];
        const isMatch = event_type === 'issue_opened';
        const runsOfIt = isMatch && policy !== 'chief_of_staff' ? 1 : 0;
        const answers = policy !== 'triggers' && !(policy === 'chief_of_staff_unless_triggered' && isMatch);
        expect([policy, event_type, sessions, runs]).toEqual([policy, event_type, answers ? 1 : 0, runsOfIt]);
      }
    }
  });
});
