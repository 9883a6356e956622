import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type EngineWorld, engineWorld } from '../../testing/engine-world.js';
import { type RecordingServer, recordingServer } from '../../testing/recording-server.js';
import { type FakeServices, fakeServices } from '../../testing/fake-services.js';

describe('a Python tool that a person tries', () => {
  let world: EngineWorld;
  let engine: NestFastifyApplication;
  let services: FakeServices;
  let target: RecordingServer;
  let token = '';

  beforeAll(async () => {
    [world, services, target] = await Promise.all([engineWorld(), fakeServices(), recordingServer()]);
    engine = await world.start({
      VAULT_URL: services.url,
      PYTHON_RUNNER_URL: services.url,
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
  afterAll(async () => {
    await world.close();
    await Promise.all([services.close(), target.close()]);
  });

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
    const headers = { authorization: `Bearer ${await world.token(['service'], undefined, subject)}` };
    return engine.inject({ method: 'POST', url: '/internal/python-tries', headers, payload });
  };
  const callback = (method: string) =>
    engine.inject({
      method: 'POST',
      url: '/internal/python-callbacks',
      headers: { authorization: `Bearer ${token}` },
      payload: { method, url: `${target.url}/rates` },
    });

  it('runs with its arguments and credentials, and makes HTTP requests within its grade while it runs', async () => {
    services.on('/internal/run', async ({ body }) => {
      token = String(body['callback_token']);
      const answers = [await callback('POST'), await callback('GET'), await callback('GET')].map((one) => one.json());
      const result = answers.map((answer) => answer.status ?? answer.error.code);
      return { ok: true, result, stdout: '', truncated: false, duration_ms: 1 };
    });
    const bindings = [{ credential_id: 'cred_1', as: 'bank', skill_id: 'skl_1' }];
    const answer = await attempt({ credential_bindings: bindings, timeout_ms: 600_000 });
    expect(answer.json()).toMatchObject({ ok: true, result: ['not_allowed', 201, 'too_many_requests'] });
    const run = services.requests.find(({ path }) => path === '/internal/run');
    expect(run?.body).toMatchObject({
      call_id: 'try_1',
      arguments: { day: 'today' },
      credentials: { bank: { token: 'swordfish' } },
      timeout_ms: 20_000,
      callback_url: 'http://engine.test/internal/python-callbacks',
    });
    expect((await callback('GET')).statusCode).toBe(401);
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
    expect((await attempt()).json()).toEqual({
      ok: false,
      error: 'exception',
      message: 'no (line 2)',
      stdout: 'p',
      line: 2,
    });
    services.on('/internal/run', () => ({ status: 503, code: 'runner_busy' }));
    expect((await attempt()).json()).toMatchObject({ ok: false, error: 'runner_busy' });
    services.requests.length = 0;
    expect((await attempt({ arguments: {} })).json()).toMatchObject({ ok: false, error: 'invalid_arguments' });
    services.on('/internal/credentials/resolve', () => ({ status: 403, code: 'not_bound' }));
    const bindings = [{ credential_id: 'cred_1', as: 'bank', skill_id: 'skl_1' }];
    const refused = (await attempt({ credential_bindings: bindings })).json();
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
    const tried = (await attempt({ credential_bindings: bindings })).json();
    expect(tried).toMatchObject({ ok: true, note: expect.stringContaining('bank.example.com without a credential') });
    expect(tried).not.toHaveProperty('requests');
    expect((await attempt()).json()).not.toHaveProperty('note');
  });

  it('is run only for the registry, and its token expires with its time', async () => {
    expect((await attempt({}, 'service:router')).statusCode).toBe(403);
    let usable = 0;
    services.on('/internal/run', async ({ body }) => {
      token = String(body['callback_token']);
      await world.pool.query("UPDATE engine.python_try SET expires_at = now() - interval '1 second'");
      usable = (await callback('GET')).statusCode;
      return { ok: true, result: 1, stdout: '', truncated: false, duration_ms: 1 };
    });
    expect((await attempt()).json().ok).toBe(true);
    expect(usable).toBe(401);
    expect(target.calls).toEqual([]);
  });
});
