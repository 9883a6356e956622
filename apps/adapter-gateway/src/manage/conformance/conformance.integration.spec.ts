import { until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let id: string;

beforeAll(async () => {
  adapter = await fakeAdapter('checked');
  world = await startGateway({ CONFORMANCE_RUNS: 1, GATEHOUSE_ADAPTER_SECRET: 'whsec_c2VjcmV0' }, adapter);
  id = (await world.call('POST', 'adapters', { url: adapter.url })).body.id;
});
afterAll(() => world.close());

const begin = (body: object) => world.call('POST', `adapters/${id}/conformance-runs`, body);
const finished = (run: string) =>
  until('the run has ended', async () => {
    const { body } = await world.call('GET', `adapters/${id}/conformance-runs/${run}`);
    return body.state === 'running' ? null : body;
  });

describe('a conformance run through the API', () => {
  it('ends by itself, and shows each failure with what to do', async () => {
    const { status, body } = await begin({
      fixtures: { credentials: { good: { token: 'a-very-secret-token' } }, not_applicable: { 11: 'no documents' } },
    });
    expect([status, body.state, body.points_done]).toEqual([202, 'running', 0]);
    const run = await finished(body.id);
    expect(run).toMatchObject({ state: 'finished', points_done: 15, points_total: 15, error: null });
    const { report } = run;
    expect(report).toMatchObject({ adapter: 'checked', ok: false });
    expect(report && 'summary' in report ? report.summary.failed : 0).toBeGreaterThan(0);
    const checks = report?.points.flatMap(({ checks: own }) => own) ?? [];
    expect(checks.find((check) => check.id === '1.slug')).toMatchObject({ status: 'passed' });
    const failed = checks.find((check) => check.status === 'failed');
    expect(failed?.failure).toMatchObject({ request: expect.any(String), advice: expect.any(String) });
    expect(JSON.stringify(run)).not.toContain('a-very-secret-token');
    const { body: page } = await world.call('GET', `adapters/${id}/conformance-runs`);
    expect(page.data).toMatchObject([{ id: body.id, state: 'finished' }]);
    expect(page.data[0]).not.toHaveProperty('report');
  });

  it('answers 429 while CONFORMANCE_RUNS others run', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    adapter.routes['verify'] = () => released.then(() => ({ ok: false, error: 'auth_failed' }));
    const first = await begin({});
    expect(first.status).toBe(202);
    expect(await begin({})).toMatchObject({ status: 429, body: { code: 'too_many_runs' } });
    release();
    await finished(first.body.id);
  });

  it('is shown as failed when its process has ended', async () => {
    const { body } = await begin({});
    await finished(body.id);
    await world.pool.query(
      `UPDATE gateway.conformance_run SET state = 'running', heard_at = now() - interval '1 day' WHERE id = $1`,
      [body.id],
    );
    expect((await world.call('GET', `adapters/${id}/conformance-runs/${body.id}`)).body).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('ended'),
    });
  });

  it.each([
    [{ fixtures: { provider: { routes: [] } } }, 422, 'provider_not_possible'],
    [{ fixtures: { nonsense: 1 } }, 422, 'invalid_fields'],
    [{ fixtures: { format: {} } }, 422, 'invalid_fields'],
  ])('is refused with %j', async (body, status, code) => {
    expect(await begin(body)).toMatchObject({ status, body: { code } });
  });
});

describe('the health of an adapter over time', () => {
  it('counts polls by step, with latency, and shows why the adapter was not ready', async () => {
    const read = async () => (await world.call('GET', `adapters/${id}/health?hours=1`)).body;
    const well = await until('it was polled', async () => {
      const body = await read();
      return body.series.length > 0 ? body : null;
    });
    expect(well).toMatchObject({ step: 'minute', availability: 1 });
    expect(well.series[0]?.latency_max_ms).toBeGreaterThanOrEqual(well.series[0]?.latency_avg_ms ?? Number.NaN);
    adapter.health['status'] = 'starting';
    const ill = await until('it was found unready', async () => {
      const body = await read();
      return (body.availability ?? 1) < 1 ? body : null;
    });
    expect(ill.series.at(-1)?.reason).toContain('starting');
    expect((await world.call('GET', `adapters/${id}/health?hours=800&step=minute`)).body.code).toBe('too_many_steps');
  });
});
