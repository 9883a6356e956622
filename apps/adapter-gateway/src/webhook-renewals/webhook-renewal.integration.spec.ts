import { until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';

const daySeconds = 86_400;

describe('a provider webhook that has to be renewed', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;

  beforeAll(async () => {
    world = await startGateway({ RENEWAL_SWEEP_MS: 50 });
    await world.start();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    const slug = `mail-${Math.random().toString(36).slice(2, 8)}`;
    adapter = await fakeAdapter(slug, { webhook: { renew_seconds: daySeconds } });
  });
  afterEach(() => adapter.close());

  const install = () => world.install(adapter);
  const listing = () => world.call('GET', `listings/${adapter.slug}`);
  const asked = () => adapter.calls.filter(({ route }) => route === 'renew-webhook');
  const stateOf = async (id: string) => (await world.call('GET', `apps/${id}/webhook-renewal`)).body;
  const recorded = (id: string, what: (row: Awaited<ReturnType<typeof stateOf>>) => unknown) =>
    until('the renewal is recorded', async () => {
      const row = await stateOf(id);
      return what(row) ? row : null;
    });
  /** Instead of waiting until it is due again. */
  const retry = (id: string) => world.call('POST', `apps/${id}/webhook-renewal`);
  const inSeconds = (time: string): number => (new Date(time).getTime() - Date.now()) / 1_000;

  it('is renewed once each time, by any one replica, and shows until when it lasts', async () => {
    const expires = new Date(Date.now() + 7 * daySeconds * 1_000).toISOString();
    adapter.routes['renew-webhook'] = () => ({ ok: true, expires_at: expires });
    const { id, webhook_url: url } = await install();
    expect((await listing()).body.renews_webhook).toBe(true);
    const row = await recorded(id, ({ renewed_at: at }) => at);
    expect(row).toMatchObject({ app_id: id, expires_at: expires, error: null });
    expect(inSeconds(row.due_at)).toBeGreaterThan(daySeconds - 60);
    expect(asked()).toEqual([{ route: 'renew-webhook', body: expect.objectContaining({ webhook_url: url }) }]);
    expect((await retry(id)).status).toBe(202);
    await recorded(id, ({ renewed_at: at }) => at !== row.renewed_at);
    expect(asked()).toHaveLength(2);
  });

  it('is renewed before it ends, even if the manifest asks for a later time', async () => {
    adapter.routes['renew-webhook'] = () => ({ ok: true, expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { id } = await install();
    const row = await recorded(id, ({ renewed_at: at }) => at);
    expect(inSeconds(row.due_at)).toBeLessThan(1_801);
  });

  it('is retried after a failure, and shows why and that it was renewed before', async () => {
    // Each lasts until the test has seen it.
    let fails: 'by its grant' | 'for now' | 'no more' = 'by its grant';
    adapter.routes['renew-webhook'] = (_body, response) => {
      if (fails === 'by its grant') return { ok: false, error: 'auth_failed', message: 'no such grant' };
      if (fails === 'for now') return void response.writeHead(503).end();
      return { ok: true };
    };
    const { id } = await install();
    const app = async () => (await world.call('GET', `apps/${id}`)).body;
    expect(await recorded(id, ({ error }) => error)).toMatchObject({
      error: 'auth_failed',
      error_detail: 'no such grant',
    });
    const first = await until('the App shows it', async () => (await app()).renewal_failure);
    expect(first).toMatchObject({ code: 'auth_failed', error: 'no such grant' });
    expect(first.what_to_do).toMatch(/Verify the App/);
    const { data } = (await world.internal('GET', 'attention')).body;
    const items = data.filter(({ resource }) => resource.id === id);
    expect(items.find(({ code }) => code === 'renewal_failing')).toMatchObject({
      severity: 'error',
      text: expect.stringContaining('so its provider will stop sending: no such grant'),
    });
    expect(Date.parse(first.next_try_at ?? '')).toBeGreaterThan(Date.parse(first.since));
    fails = 'for now';
    await retry(id);
    const second = await until('it failed in another way', async () => {
      const { renewal_failure: failure } = await app();
      return failure?.code === 'provider_unavailable' ? failure : null;
    });
    expect(second.since).toBe(first.since);
    fails = 'no more';
    await retry(id);
    expect(await recorded(id, ({ renewed_at: at }) => at)).toMatchObject({ error: null, error_detail: null });
    await until('the App no longer shows it', async () => (await app()).renewal_failure === null);
  });

  it('is retried after a second at first, later after as long as it has failed', async () => {
    let isBack = false;
    adapter.routes['renew-webhook'] = (_body, response) => (isBack ? { ok: true } : void response.writeHead(503).end());
    const { id } = await install();
    const first = await recorded(id, ({ error }) => error === 'provider_unavailable');
    expect(inSeconds(first.due_at)).toBeLessThanOrEqual(1);
    const hour = "jsonb_set(renewal_failure, '{since}', to_jsonb(now() - interval '1 hour'))";
    await world.pool.query(`UPDATE gateway.app SET renewal_failure = ${hour} WHERE id = $1`, [id]);
    await recorded(id, ({ due_at: at }) => inSeconds(at) > 30);
    isBack = true;
    await retry(id);
    await recorded(id, ({ renewed_at: at }) => at);
  });

  it('is not retried soon when a person has to fix it', async () => {
    adapter.routes['renew-webhook'] = () => ({ ok: false, error: 'not_configured', message: 'no topic is set' });
    const { id } = await install();
    const row = await recorded(id, ({ error }) => error);
    expect(row).toMatchObject({ error: 'not_configured', renewed_at: null });
    expect(inSeconds(row.due_at)).toBeGreaterThan(daySeconds - 60);
  });

  it('is not renewed for a paused App, and belongs to its project only', async () => {
    adapter.routes['renew-webhook'] = () => ({ ok: true });
    const { id } = await install();
    await recorded(id, ({ renewed_at: at }) => at);
    await world.call('PATCH', `apps/${id}`, { state: 'paused' });
    const before = asked().length;
    await retry(id);
    const other = await fakeAdapter(`other-${adapter.slug}`, { webhook: { renew_seconds: daySeconds } });
    other.routes['renew-webhook'] = () => ({ ok: true });
    const running = await world.install(other);
    await recorded(running.id, ({ renewed_at: at }) => at);
    expect(asked()).toHaveLength(before);
    const stranger = { projectId: 'prj_other' };
    expect((await world.call('GET', `apps/${id}/webhook-renewal`, undefined, stranger)).status).toBe(404);
    expect((await world.call('POST', `apps/${id}/webhook-renewal`, undefined, stranger)).status).toBe(404);
    await other.close();
  });

  it('is not renewed where the manifest does not ask for it', async () => {
    adapter.manifest['webhook'] = {};
    const { id } = await install();
    expect((await listing()).body.renews_webhook).toBe(false);
    expect((await world.call('GET', `apps/${id}/webhook-renewal`)).body.code).toBe('webhook_renewal_not_found');
  });
});
