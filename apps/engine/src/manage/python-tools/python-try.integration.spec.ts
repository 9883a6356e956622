import { bearer, type EngineWorld, engineWorld, rehearsal } from '../../testing/engine-world.js';
import { type RecordingServer } from '../../testing/recording-server.js';
import { type FakeServices } from '../../testing/fake-services.js';

describe('a Python tool that a person tries', () => {
  let world: EngineWorld;
  let services: FakeServices;
  let target: RecordingServer;
  let token = '';

  beforeAll(async () => {
    world = await engineWorld();
    ({ services, target } = world);
    await world.start({
      ...rehearsal,
      ENGINE_URL: 'http://engine.test',
      TOOL_TIMEOUT_MS: 20_000,
      TOOL_CALLBACKS: 2,
    });
    services.on('/internal/credentials/resolve', () => ({ type: 'api_key', fields: { token: 'swordfish' } }));
  });
  beforeEach(() => {
    services.requests.length = 0;
    target.calls.length = 0;
  });
  afterAll(() => world.close());

  const attempt = async (over: object = {}, subject = 'service:mcp-registry') => {
    const payload = {
      call_id: 'try_1',
      tool_id: 'tol_rates',
      grade: 'read',
      python: { source: 'def rates(): ...', source_sha256: 'a'.repeat(64), function: 'rates' },
      input_schema: { type: 'object', required: ['day'], properties: { day: { type: 'string' } } },
      arguments: { day: 'today' },
      ...over,
    };
    return world.internal('POST', 'python-tries', payload, { subject });
  };
  const callback = (method: string) =>
    world.internal('POST', 'python-callbacks', { method, url: `${target.url}/rates` }, bearer(token));

  it('runs with its arguments and credentials, and makes HTTP requests within its grade while it runs', async () => {
    services.on('/internal/run', async ({ body }) => {
      token = String(body['callback_token']);
      const answers = [await callback('POST'), await callback('GET'), await callback('GET')].map((one) => one.body);
      const result = answers.map((answer) => answer.status ?? answer.error?.code);
      return { ok: true, result, stdout: '', truncated: false, duration_ms: 1 };
    });
    const bindings = [{ credential_id: 'cred_1', as: 'bank', skill_id: 'skl_1' }];
    const answer = await attempt({ credential_bindings: bindings, timeout_ms: 600_000 });
    expect(answer.body).toMatchObject({ ok: true, result: ['not_allowed', 201, 'too_many_requests'] });
    const run = services.requests.find(({ path }) => path === '/internal/run');
    expect(run?.body).toMatchObject({
      call_id: 'try_1',
      arguments: { day: 'today' },
      credentials: { bank: { token: 'swordfish' } },
      timeout_ms: 20_000,
      callback_url: 'http://engine.test/internal/python-callbacks',
    });
    expect((await callback('GET')).status).toBe(401);
    expect((await world.pool.query('SELECT 1 FROM engine.python_try')).rows).toEqual([]);
  });

  it('reports its errors by a code, and is not run with wrong arguments or without its credential', async () => {
    services.on('/internal/run', () => ({
      ok: false,
      error: 'exception',
      message: 'no (line 2)',
      stdout: 'p',
      line: 2,
    }));
    expect((await attempt()).body).toEqual({
      ok: false,
      error: 'exception',
      message: 'no (line 2)',
      stdout: 'p',
      line: 2,
    });
    services.on('/internal/run', () => ({ status: 503, code: 'runner_busy' }));
    expect((await attempt()).body).toMatchObject({ ok: false, error: 'runner_busy' });
    services.requests.length = 0;
    expect((await attempt({ arguments: {} })).body).toMatchObject({ ok: false, error: 'invalid_arguments' });
    services.on('/internal/credentials/resolve', () => ({ status: 403, code: 'not_bound' }));
    const bindings = [{ credential_id: 'cred_1', as: 'bank', skill_id: 'skl_1' }];
    const refused = (await attempt({ credential_bindings: bindings })).body;
    expect(refused).toMatchObject({ ok: false, error: 'credential_unavailable' });
    expect(services.requests.filter(({ path }) => path === '/internal/run')).toEqual([]);
  });

  it('says that it asked without the credential of its Skill', async () => {
    const requests = [{ origin: 'https://bank.example.com', credentials: [] }];
    services.on('/internal/run', () => ({
      ok: true,
      result: 1,
      stdout: '',
      truncated: false,
      duration_ms: 1,
      requests,
    }));
    services.on('/internal/credentials/resolve', () => ({ type: 'api_key', fields: { token: 'swordfish' } }));
    const bindings = [{ credential_id: 'cred_1', as: 'bank', skill_id: 'skl_1' }];
    const tried = (await attempt({ credential_bindings: bindings })).body;
    expect(tried).toMatchObject({ ok: true, note: expect.stringContaining('bank.example.com without a credential') });
    expect(tried).not.toHaveProperty('requests');
    expect((await attempt()).body).not.toHaveProperty('note');
  });

  it('is run only for the registry, and its token expires with its time', async () => {
    expect((await attempt({}, 'service:router')).status).toBe(403);
    let usable = 0;
    services.on('/internal/run', async ({ body }) => {
      token = String(body['callback_token']);
      await world.pool.query("UPDATE engine.python_try SET expires_at = now() - interval '1 second'");
      usable = (await callback('GET')).status;
      return { ok: true, result: 1, stdout: '', truncated: false, duration_ms: 1 };
    });
    expect((await attempt()).body.ok).toBe(true);
    expect(usable).toBe(401);
    expect(target.calls).toEqual([]);
  });
});
