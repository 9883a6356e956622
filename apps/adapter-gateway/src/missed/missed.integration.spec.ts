import { home, restoreLogs, silenceLogs, until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../testing/http-server.js';

describe('what a provider could not deliver', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let ingress: TestServer;
  /** What the ingress stored, by id; once each. */
  const stored = new Map<string, object>();
  let ingressIsAway = false;

  beforeAll(async () => {
    silenceLogs();
    ingress = await httpServer((path, body, response) => {
      if (ingressIsAway) return sendJson(response, { code: 'unavailable' }, 503);
      if (!path.endsWith('/fetched-requests')) return sendJson(response, {});
      const request = JSON.parse(body) as { id: string };
      const isNew = !stored.has(request.id);
      stored.set(request.id, request);
      return sendJson(response, { duplicate: !isNew, event_id: 'evt_1' });
    });
    world = await startGateway({ MISSED_SWEEP_MS: 20, INGRESS_URL: ingress.url }, ingress);
    await world.start();
  });
  afterAll(async () => {
    await world.close();
    restoreLogs();
  });
  beforeEach(async () => {
    stored.clear();
    ingressIsAway = false;
    const slug = `chat-${Math.random().toString(36).slice(2, 8)}`;
    adapter = await fakeAdapter(slug, { webhook: { missed_since: true } });
  });
  afterEach(() => adapter.close());

  const install = () => world.install(adapter);
  const asked = () => adapter.calls.filter(({ route }) => route === 'missed-since').map(({ body }) => body);
  const stateOf = async (id: string) => (await world.call('GET', `apps/${id}/missed`)).body;
  const ended = (id: string) =>
    until('it has ended', async () => {
      const row = await stateOf(id);
      return row.ended_at !== null && row.state !== undefined ? row : null;
    });
  const hourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString();
  /** Instead of waiting until it is due again. */
  const hasten = (id: string) =>
    world.pool.query('UPDATE gateway.missed_ask SET due_at = now() WHERE app_id = $1', [id]);

  it('is asked for after an outage of the door, page by page, and stored by the ingress', async () => {
    adapter.routes['missed-since'] = ({ cursor }) =>
      cursor === null
        ? { ok: true, redeliveries: 2, requests: [{ id: 'a', body: '{}' }], cursor: 'next', has_more: true }
        : {
            ok: true,
            redeliveries: 1,
            requests: [
              { id: 'b', body: '{}' },
              { id: 'a', body: '{}' },
            ],
          };
    const { id, webhook_url } = await install();
    const since = hourAgo();
    const outage = { app_id: null, since, until: new Date().toISOString() };
    // Whoever says it twice, because the answer was lost, asks once more at most.
    const noted = await world.internal('POST', 'missed', { outages: [outage] });
    expect(noted.body.apps).toBeGreaterThanOrEqual(1);
    expect(await ended(id)).toMatchObject({ state: 'done', since, redeliveries: 3, stored: 2, reason: null });
    expect(asked()).toEqual([
      expect.objectContaining({ webhook_url, since, until: outage.until, cursor: null }),
      expect.objectContaining({ cursor: 'next' }),
    ]);
    expect(stored.get('a')).toEqual({ as: 'missed', id: 'a', body: '{}' });
  });

  it('is asked for again from the page that was not stored, and every request is stored once', async () => {
    adapter.routes['missed-since'] = ({ cursor }) => {
      if (cursor !== null) ingressIsAway = true;
      const requests = [{ id: `of ${cursor}`, body: '{}' }];
      return { ok: true, redeliveries: 0, requests, ...(cursor === null && { cursor: 'next', has_more: true }) };
    };
    const { id } = await install();
    await world.call('POST', `apps/${id}/missed`, { since: hourAgo() });
    await until('the ingress is away', async () => (await stateOf(id)).reason !== null);
    expect(await stateOf(id)).toMatchObject({ state: 'queued', stored: 1 });
    adapter.routes['missed-since'] = ({ cursor }) => ({
      ok: true,
      redeliveries: 0,
      requests: [{ id: `of ${cursor}`, body: '{}' }],
    });
    ingressIsAway = false;
    await hasten(id);
    expect(await ended(id)).toMatchObject({ state: 'done', stored: 2 });
    expect([...stored.keys()]).toEqual(['of null', 'of next']);
  });

  it('covers both outages where a second one comes before the provider was asked for the first', async () => {
    adapter.routes['missed-since'] = () => ({ ok: true, redeliveries: 0, requests: [] });
    const { id } = await install();
    const [first, second] = ['2026-01-01T10:00:00.000Z', '2026-01-01T12:00:00.000Z'];
    await world.pool.query(
      `INSERT INTO gateway.missed_ask (app_id, organization_id, project_id, since, until, due_at)
       VALUES ($1, $2, $3, now() - interval '1 hour', now() - interval '50 minutes', now() + interval '1 day')`,
      [id, home.organizationId, home.projectId],
    );
    const before = await stateOf(id);
    const until = new Date().toISOString();
    await world.internal('POST', 'missed', { outages: [{ app_id: id, since: new Date().toISOString(), until }] });
    expect(await ended(id)).toMatchObject({ since: before.since, until });
    expect(asked()[0]).toMatchObject({ since: before.since, until });
    // Providers keep what they could not deliver for some days.
    await world.internal('POST', 'missed', { outages: [{ app_id: id, since: first, until: second }] });
    const limited = await ended(id);
    expect(Date.now() - Date.parse(String(limited.since))).toBeLessThan(3.1 * 86_400_000);
  });

  it('ends with the reason where a person has to do something, and is retried where not', async () => {
    adapter.routes['missed-since'] = () => ({ ok: false, error: 'not_configured', message: 'no repository is named' });
    const { id } = await install();
    await world.call('POST', `apps/${id}/missed`, { since: hourAgo() });
    expect(await ended(id)).toMatchObject({
      state: 'dead',
      reason: 'not_configured',
      detail: 'no repository is named',
    });
    adapter.routes['missed-since'] = () => ({ ok: false, error: 'rate_limited', retry_after: 60 });
    await world.call('POST', `apps/${id}/missed`, { since: hourAgo() });
    const waiting = await until('it waits', async () => {
      const row = await stateOf(id);
      return row.reason === 'rate_limited' ? row : null;
    });
    expect(waiting.state).toBe('queued');
    expect(Date.parse(String(waiting.due_at)) - Date.now()).toBeGreaterThan(50_000);
    adapter.routes['missed-since'] = () => ({ ok: true, requests: 'none' });
    await hasten(id);
    await until('the violation is named', async () => (await stateOf(id)).reason === 'contract_violation');
  });

  it('is not asked for beyond MISSED_MAX_PAGES', async () => {
    adapter.routes['missed-since'] = () => ({ ok: true, redeliveries: 1, requests: [], cursor: 'on', has_more: true });
    const { id } = await install();
    await world.call('POST', `apps/${id}/missed`, { since: hourAgo() });
    expect(await ended(id)).toMatchObject({
      state: 'dead',
      redeliveries: 5,
      detail: expect.stringContaining('MISSED_MAX_PAGES'),
    });
  });

  it('is not asked for where the provider cannot be, and belongs to its project', async () => {
    adapter.manifest['webhook'] = {};
    const { id } = await install();
    expect((await world.call('POST', `apps/${id}/missed`, { since: hourAgo() })).body).toMatchObject({
      code: 'missed_unsupported',
    });
    expect((await world.call('GET', `apps/${id}/missed`)).status).toBe(404);
    const stranger = { projectId: 'prj_other' };
    expect((await world.call('POST', `apps/${id}/missed`, { since: hourAgo() }, stranger)).status).toBe(404);
    const future = new Date(Date.now() + 60_000).toISOString();
    expect((await world.call('POST', `apps/${id}/missed`, { since: future })).status).toBe(422);
    expect((await world.call('POST', `apps/${id}/missed`, { since: 'yesterday' })).status).toBe(422);
  });
});
