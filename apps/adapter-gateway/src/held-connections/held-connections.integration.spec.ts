import { Metrics } from '#libs/service-kit';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../testing/http-server.js';
import { HeldConnections } from './held-connections.service.js';

let world: GatewayWorld;
let ingress: TestServer;
let adapter: FakeAdapter;
let app: string;
/** Ids that the ingress has stored, in order, each once. */
let stored: string[];
/** What the ingress answers instead of 200; null: it stores. */
let refusing: number | null;
/** What the provider has, and how often it was asked at one time. */
let provider: { events: string[]; asking: number; most: number };
let replicas: NestFastifyApplication[];

beforeAll(async () => {
  ingress = await httpServer((_path, body, response) => {
    if (refusing !== null) return sendJson(response, { code: 'refused', detail: 'no' }, refusing);
    const { id } = JSON.parse(body) as { id: string };
    const duplicate = stored.includes(id);
    if (!duplicate) stored.push(id);
    return sendJson(response, { event_id: `evt_${id}`, duplicate });
  });
  world = await startGateway({ INGRESS_URL: ingress.url }, ingress);
  replicas = [world.app, await world.start()];
});
afterAll(() => world.close());
beforeEach(async () => {
  [stored, refusing, provider] = [[], null, { events: [], asking: 0, most: 0 }];
  const connect = { kind: 'poll', keeps_seconds: 3_600 };
  adapter = await fakeAdapter(`poll-${Math.random().toString(36).slice(2, 8)}`, { connect, credentials: [] });
  adapter.routes['poll'] = ({ cursor }) => answer(Number(cursor ?? 0));
  app = (await world.install(adapter)).id;
});
afterEach(async () => {
  await world.pool.query('DELETE FROM gateway.held_connection');
  await until('nobody asks any more', () => provider.asking === 0);
  await adapter.close();
});

/** Two events at a time, and a wait where there is none. */
async function answer(from: number): Promise<object> {
  provider.asking += 1;
  provider.most = Math.max(provider.most, provider.asking);
  const events = provider.events.slice(from, from + 2).map((id) => ({ id, body: `{"said":"${id}"}` }));
  if (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  provider.asking -= 1;
  return { ok: true, events, cursor: String(from + events.length) };
}

const say = (...ids: string[]) => provider.events.push(...ids);
const connection = async () => (await world.call('GET', `apps/${app}/connection`)).body as Record<string, unknown>;
const hold = () => world.call('PUT', `apps/${app}/connection`);
const storedAll = () => until('all are stored', () => provider.events.every((id) => stored.includes(id)));
const becomes = (state: string) =>
  until(`it is ${state}`, async () => {
    const now = await connection();
    return now['state'] === state && now;
  });

const condition = async () => (await world.call('GET', `apps/${app}`)).body.condition;
const metrics = () => world.app.get(Metrics, { strict: false }).registry.metrics();
const attention = async () => {
  const { data } = (await world.internal('GET', 'attention')).body;
  return data.filter(({ resource }) => resource.id === app).map(({ code, text }) => ({ code, text }));
};

describe('a provider that is asked for its events', () => {
  it('has each stored once and in order, by one process at a time', async () => {
    say('a', 'b', 'c');
    expect((await hold()).status).toBe(200);
    await storedAll();
    expect(await becomes('connected')).toMatchObject({ events: 3, gap: null, error: null, reconnects: 0 });
    say('d', 'e');
    await storedAll();
    expect(stored).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(provider.most).toBe(1);
  });

  it('is asked again from the same cursor until the ingress has stored what it gave', async () => {
    refusing = 503;
    say('a', 'b');
    await hold();
    expect(await becomes('failing')).toMatchObject({ error: expect.any(String), next_try_at: expect.any(String) });
    const { rows } = await world.pool.query('SELECT cursor FROM gateway.held_connection');
    expect(rows).toEqual([{ cursor: null }]);
    refusing = null;
    await storedAll();
    expect(await becomes('connected')).toMatchObject({ error: null, error_detail: null });
  });

  it('goes on with another process where the first one stops, from its cursor', async () => {
    say('a');
    await hold();
    await storedAll();
    const { rows } = await world.pool.query('SELECT owner FROM gateway.held_connection');
    const spare = await world.start();
    for (const replica of replicas) await replica.get(HeldConnections, { strict: false }).onModuleDestroy();
    say('b');
    await storedAll();
    const after = await until('another one has it', async () => {
      const found = (await world.pool.query('SELECT owner, state FROM gateway.held_connection')).rows[0];
      return found?.state === 'running' && found;
    });
    expect(after.owner).not.toBe(rows[0].owner);
    expect(stored).toEqual(['a', 'b']);
    replicas = [spare];
  });

  it('moves no cursor for a claim that was lost: what it still gives is dropped', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    adapter.routes['poll'] = async () => {
      await held;
      return { ok: true, events: [{ id: 'late', body: '{}' }], cursor: '9' };
    };
    await hold();
    await until('it is asked', () => adapter.bodiesOf('poll').length > 0);
    await world.pool.query('UPDATE gateway.held_connection SET claim = claim + 1, cursor = $1', ['5']);
    adapter.routes['poll'] = ({ cursor }) => answer(Number(cursor ?? 0));
    await until('the lease is taken over', async () => {
      const { rows } = await world.pool.query('SELECT claim FROM gateway.held_connection');
      return rows[0].claim > 2;
    });
    release();
    await until('it goes on', async () => (await connection())['state'] === 'connected');
    const { rows } = await world.pool.query('SELECT cursor FROM gateway.held_connection');
    expect(rows).toEqual([{ cursor: '5' }]);
  });

  it.each([
    [
      'says when it may be asked again',
      { ok: false, error: 'rate_limited', error_detail: { message: 'slow', retry_after: 30 } },
      'rate_limited',
    ],
    ['refuses the credentials', { ok: false, error: 'auth_failed', error_detail: { message: 'no' } }, 'auth_failed'],
    ['breaks the contract', { ok: true, events: [{ id: 7 }], cursor: '1' }, 'contract_violation'],
    ['says of a part neither why nor what', { ok: true, events: [], degraded: {} }, 'contract_violation'],
    ['names a cursor that is too long', { ok: true, events: [], cursor: 'x'.repeat(5_000) }, 'contract_violation'],
    ['names a cursor that cannot be stored', { ok: true, events: [], cursor: 'a\0' }, 'contract_violation'],
  ])('that %s is shown with its reason, and tried again later', async (_what, given, code) => {
    adapter.routes['poll'] = () => given;
    await hold();
    expect(await becomes('failing')).toMatchObject({ error: code, next_try_at: expect.any(String) });
    expect(stored).toEqual([]);
  });

  it('shows a gap: of its own, after a silence longer than it keeps events, and of an event that is too large', async () => {
    adapter.routes['poll'] = () => ({
      ok: true,
      events: [],
      cursor: '1',
      gap: { reason: 'reset', since: 'once upon a time', until: '2026-01-01T00:00:00Z' },
    });
    await hold();
    await until('it is shown', async () => (await connection())['gap'] !== null);
    expect((await connection())['gap']).toEqual({ reason: 'reset', until: '2026-01-01T00:00:00.000Z' });
    expect((await world.call('DELETE', `apps/${app}/connection`)).status).toBe(204);
    adapter.routes['poll'] = ({ cursor }) => answer(Number(cursor ?? 0));
    const away = `INSERT INTO gateway.held_connection (app_id, organization_id, project_id, answered_at)
      SELECT id, organization_id, project_id, now() - interval '3 hours' FROM gateway.app WHERE id = $1`;
    await world.pool.query(away, [app]);
    const gap = await until(
      'it is shown',
      async () => (await connection())['gap'] as { reason: string; since: string; until: string },
    );
    expect(gap.reason).toBe('away_too_long');
    expect(Date.parse(gap.until) - Date.parse(gap.since)).toBeGreaterThan(7_000_000);
    refusing = 413;
    say('huge');
    await until(
      'it is shown',
      async () => ((await connection())['gap'] as { reason: string }).reason === 'event_too_large',
    );
    refusing = null;
    say('small');
    await until('the next one is stored', () => stored.includes('small'));
  });

  it('goes on where what it says of a gap or of a part has characters that cannot be stored', async () => {
    const long = `${'x'.repeat(499)}\u{1F600}`;
    adapter.routes['poll'] = async ({ cursor }) => ({
      ...(await answer(Number(cursor ?? 0))),
      gap: { reason: 'reset\0', until: '2026-01-01T00:00:00Z' },
      degraded: { error: 'timeout\0', message: long },
    });
    say('first');
    await hold();
    const shown = await becomes('degraded');
    expect(shown).toMatchObject({ error: 'timeout\ufffd', error_detail: `${'x'.repeat(499)}\ufffd` });
    expect(shown['gap']).toMatchObject({ reason: 'reset\ufffd' });
    say('second');
    await until('the next one is stored', () => stored.includes('second'));
  });

  it('shows a gap without times as one from the last answer until now', async () => {
    const asked = Date.now();
    const ended = { reason: 'session_ended' };
    adapter.routes['poll'] = ({ cursor }) => ({
      ok: true,
      events: [],
      cursor: '1',
      ...(cursor === '1' && { gap: ended }),
    });
    await hold();
    const gap = await until(
      'it is shown',
      async () => (await connection())['gap'] as { reason: string; since: string; until: string },
    );
    expect(gap).toMatchObject(ended);
    expect(Date.parse(gap.since)).toBeGreaterThanOrEqual(asked);
    expect(gap.until >= gap.since).toBe(true);
    const grown = await until('it has grown', async () => {
      const now = (await connection())['gap'] as { since: string; until: string };
      return now.until > gap.until && now;
    });
    expect(grown.since).toBe(gap.since);
  });

  it('needs attention once it has not answered for a while, and while messages of the last days are missing', async () => {
    adapter.routes['poll'] = () => ({ ok: false, error: 'auth_failed', error_detail: { message: 'no such bot' } });
    await hold();
    await becomes('failing');
    expect(await attention()).toEqual([]);
    await world.pool.query(`UPDATE gateway.held_connection SET created_at = now() - interval '2 minutes'`);
    expect(await attention()).toEqual([
      { code: 'connection_failing', text: expect.stringContaining('(auth_failed): no such bot.') },
    ]);
    expect(await condition()).toEqual({ state: 'failing', why: 'It hears nothing (auth_failed): no such bot.' });
    const gap = `UPDATE gateway.held_connection SET gap = jsonb_build_object('reason', 'away_too_long', 'until', now() - $1::interval)`;
    await world.pool.query(gap, ['1 day']);
    expect((await attention()).map(({ code }) => code)).toEqual(['connection_failing', 'connection_gap']);
    await world.pool.query(gap, ['4 days']);
    expect((await attention()).map(({ code }) => code)).toEqual(['connection_failing']);
  });

  it('of which a part fails is shown so with the reason and since when, needs attention after a while, and is counted', async () => {
    const degraded = { error: 'auth_failed', message: '1 of 3 connections fail (shard 1): no such bot' };
    adapter.routes['poll'] = () => ({ ok: true, events: [], cursor: '1', degraded });
    await hold();
    const first = await becomes('degraded');
    const shown = { error: 'auth_failed', error_detail: degraded.message, failing_since: expect.any(String) };
    expect(first).toMatchObject(shown);
    await until('it is answered again', async () => (await connection())['answered_at'] !== first['answered_at']);
    expect((await connection())['failing_since']).toBe(first['failing_since']);
    expect(await attention()).toEqual([]);
    const lasts = { ...degraded, since: new Date(Date.now() - 120_000).toISOString() };
    // The holder goes on from what it knows: another claim reads this.
    await world.pool.query('UPDATE gateway.held_connection SET claim = claim + 1, degraded = $1', [lasts]);
    const [item] = await until('it needs attention', async () => {
      const items = await attention();
      return items.length > 0 && items;
    });
    const text = expect.stringContaining(`(auth_failed): ${degraded.message}.`) as string;
    expect(item).toEqual({ code: 'connection_degraded', text });
    expect(await condition()).toEqual({ state: 'degraded', why: text });
    await until('it is counted', async () =>
      /gatehouse_held_connections\{state="degraded".*\} 1/.test(await metrics()),
    );
    adapter.routes['poll'] = () => ({ ok: false, error: 'rate_limited', error_detail: { message: 'slow' } });
    await becomes('failing');
    const { rows } = await world.pool.query('SELECT degraded FROM gateway.held_connection');
    expect(rows).toEqual([{ degraded: null }]);
    adapter.routes['poll'] = ({ cursor }) => answer(Number(cursor ?? 0));
    expect(await becomes('connected')).toMatchObject({ error: null, error_detail: null, failing_since: null });
    expect([await attention(), await condition()]).toEqual([[], { state: 'active', why: null }]);
  });

  it('is asked no more when that is turned off, and only where its adapter can be asked', async () => {
    await hold();
    await becomes('connected');
    expect((await world.call('DELETE', `apps/${app}/connection`)).status).toBe(204);
    expect((await world.call('GET', `apps/${app}/connection`)).body).toMatchObject({ code: 'connection_not_found' });
    await until('nobody asks', () => provider.asking === 0);
    const before = adapter.bodiesOf('poll').length;
    // As long as it takes to ask another provider five times.
    const another = await fakeAdapter('poll-another', {
      connect: { kind: 'poll', keeps_seconds: 60 },
      credentials: [],
    });
    another.routes['poll'] = () => answer(0);
    const second = (await world.install(another)).id;
    await world.call('PUT', `apps/${second}/connection`);
    await until('another is asked', () => another.bodiesOf('poll').length >= 5);
    expect(adapter.bodiesOf('poll')).toHaveLength(before);
    await world.call('DELETE', `apps/${second}/connection`);
    await until('nobody asks any more', () => provider.asking === 0);
    await another.close();
    const plain = await fakeAdapter('no-poll', { credentials: [] });
    const other = (await world.install(plain)).id;
    const refused = await world.call('PUT', `apps/${other}/connection`);
    expect([refused.status, (refused.body as { code?: string }).code]).toEqual([422, 'connection_unsupported']);
    await plain.close();
  });
});
