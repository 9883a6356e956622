import { until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter, type Route } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  world = await startGateway({ ADAPTER_CALL_ATTEMPTS: 1, ADAPTER_TIMEOUT_MS: 5_000 });
});
afterAll(() => world.close());

beforeEach(async () => {
  adapter = await fakeAdapter(`verify-${Math.random().toString(36).slice(2, 8)}`);
  world.vault.credentials.set('cred_1', { TOKEN: 'a-very-secret-token' });
  app = (await world.install(adapter, { credential_id: 'cred_1' })).id;
});
afterEach(() => adapter.close());

const verify = () => world.call('POST', `apps/${app}/verify`);
const asked = (): number => adapter.bodiesOf('verify').length;
const violation = async (): Promise<string | null> =>
  (await world.call('GET', 'adapters')).body.data.find(({ slug }) => slug === adapter.slug)?.violation ?? null;
const text =
  (status: number, type: string, body: string): Route =>
  (_body, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

describe('Verify of an App whose adapter', () => {
  it('answers everything has a checklist in which only the webhook fails, because nothing serves it here', async () => {
    adapter.routes['verify'] = () => ({ ok: true, user: 'Bot' });
    const { body } = await verify();
    const checks = body.checks as { id: string; status: string; what_to_do: string | null }[];
    expect(body).toMatchObject({ ok: true, passed: false });
    expect(Object.fromEntries(checks.map(({ id, status }) => [id, status]))).toMatchObject({
      adapter_ready: 'ok',
      credentials_accepted: 'ok',
      endpoint_reachable: 'failed',
      sample_accepted: 'skipped',
      handshake_answered: 'not_applicable',
      delivery_prepared: 'ok',
    });
    expect(checks.find(({ id }) => id === 'endpoint_reachable')?.what_to_do).toContain('SAMPLE_URL');
    expect(adapter.bodiesOf('format')[0]?.credentials).toEqual(adapter.bodiesOf('verify')[0]?.credentials);
  });

  it.each<[string, Route, string, RegExp]>([
    [
      'answers 401 as JSON',
      text(401, 'application/json', '{"error":"no"}'),
      'provider_unavailable',
      /answered 401: no$/,
    ],
    ['answers 500', text(500, 'application/json', '{}'), 'provider_unavailable', /answered 500/],
    ['drops the socket', (_body, response) => void response.destroy(), 'provider_unavailable', /\/verify/],
    ['never answers', () => undefined, 'timeout', /did not answer in time/],
  ])('%s says so, and that nothing is known about the credentials', async (_what, answer, code, words) => {
    adapter.routes['verify'] = answer;
    const { status, body } = await verify();
    expect([status, body.ok, body.code]).toEqual([200, false, code]);
    expect(body.error).toMatch(words);
    expect(body.error).toMatch(/the credentials could not be checked/);
  });

  it.each<[string, Route, RegExp]>([
    ['answers HTML', text(200, 'text/html', '<p>hello</p>'), /application\/json/],
    ['answers a list', () => [], /object/],
    ['answers ok as a text', () => ({ ok: 'true', user: 'Bot' }), /ok is neither true nor false/],
    ['names no user', () => ({ ok: true }), /user is not a string/],
    ['names a fraction as user', () => ({ ok: true, user: 1.5 }), /user is not a string/],
    ['says who it is in a text', () => ({ ok: true, user: 'Bot', account: 'U1' }), /account is not an object/],
    ['gives no error', () => ({ ok: false }), /error is not a string/],
  ])('%s breaks the contract, and its page shows that too', async (_what, answer, words) => {
    adapter.routes['verify'] = answer;
    const { status, body } = await verify();
    expect([status, body.ok, body.code]).toEqual([200, false, 'contract_violation']);
    expect(body.error).toMatch(words);
    await until('the page shows it', async () => words.test((await violation()) ?? ''));
    expect(asked()).toBe(1);
  });

  it('breaks it again in a different way shows the new violation, however soon it follows', async () => {
    adapter.routes['verify'] = () => ({ ok: true });
    await verify();
    adapter.routes['verify'] = () => ({ ok: false });
    await verify();
    await until('the page shows the last one', async () => /error is not a string/.test((await violation()) ?? ''));
  });

  it.each<[object, string, string]>([
    [{ error: 'auth_failed', message: 'token_revoked' }, 'auth_failed', 'accept the credentials: token_revoked'],
    [{ error: 'the token has expired' }, 'auth_failed', 'accept the credentials: the token has expired'],
    [{ error: 'provider_unavailable' }, 'provider_unavailable', 'the credentials could not be checked'],
    [{ error: 'a-very-secret-token is wrong' }, 'auth_failed', '[redacted] is wrong'],
  ])('refuses with %j has the code of a refusal or of a failed check', async (refusal, code, words) => {
    adapter.routes['verify'] = () => ({ ok: false, ...refusal });
    const { status, body } = await verify();
    expect([status, body.ok, body.code]).toEqual([200, false, code]);
    expect(body.error).toContain(words);
  });

  it.each<[number, string, string, string]>([
    [
      401,
      '{"ok":false,"error":"the token has expired"}',
      'auth_failed',
      'accept the credentials: the token has expired',
    ],
    [400, '{"ok":false,"error":"auth_failed","message":"revoked"}', 'auth_failed', 'accept the credentials: revoked'],
    [500, '{"ok":false,"error":"auth_failed","message":"revoked"}', 'auth_failed', 'accept the credentials: revoked'],
    [403, '{"ok":false,"error":"a-very-secret-token is wrong"}', 'auth_failed', '[redacted] is wrong'],
    [500, '{"ok":false,"error":"out of memory"}', 'provider_unavailable', 'answered 500: out of memory'],
    [429, '{"ok":false,"error":"too many calls"}', 'provider_unavailable', 'answered 429: too many calls'],
    [502, '{"message":"a-very-secret-token is wrong"}', 'provider_unavailable', 'answered 502: [redacted] is wrong'],
    [401, '{"ok":"no","error":"no"}', 'provider_unavailable', 'answered 401: no'],
    [400, '{"error":{"code":7,"message":"no such team"}}', 'provider_unavailable', 'answered 400: no such team'],
    [422, '{"detail":[{"loc":["body"],"msg":"no token"}]}', 'provider_unavailable', 'answered 422: no token'],
    [400, '{"title":"","errors":[{"message":"expired"}]}', 'provider_unavailable', 'answered 400: expired'],
    [
      401,
      '{"error":"bad_signature","message":"platform call refused: no signature matches"}',
      'provider_unavailable',
      'GATEHOUSE_ADAPTER_SECRET',
    ],
  ])('answers %i with %s is shown with the words of its body', async (status, answer, code, words) => {
    adapter.routes['verify'] = text(status, 'application/json', answer);
    const { body } = await verify();
    expect([body.ok, body.code]).toEqual([false, code]);
    expect(body.error).toContain(words);
  });

  it('answers in plain text is shown with its words, and a page of HTML with none', async () => {
    adapter.routes['verify'] = text(502, 'text/plain; charset=utf-8', 'a-very-secret-token is wrong\n');
    expect((await verify()).body.error).toMatch(/answered 502: \[redacted\] is wrong$/);
    adapter.routes['verify'] = text(502, 'text/html', '<p>Bad gateway');
    expect((await verify()).body.error).toMatch(/answered 502$/);
  });

  it('gives numbers as ids is known by their digits', async () => {
    const account = '{"id":12345678901234567890,"bot_id":9007199254740992,"account":7,"name":"Bot","since":5}';
    adapter.routes['verify'] = text(
      200,
      'application/json',
      `{"ok":true,"user":12345678901234567890,"account":${account}}`,
    );
    expect((await verify()).body).toMatchObject({
      ok: true,
      user: '12345678901234567890',
      account: { id: '12345678901234567890', bot_id: '9007199254740992', account: '7', name: 'Bot', since: 5 },
    });
  });

  it('gives a name with characters that no database accepts is stored without them', async () => {
    adapter.routes['verify'] = () => ({ ok: true, user: 'B\u0000t', account: { id: 'U\ud800' } });
    expect((await verify()).body).toMatchObject({ ok: true, user: 'B\ufffdt', account: { id: 'U\ufffd' } });
  });

  it('is given a pause after failures says so, and is not called', async () => {
    adapter.routes['verify'] = text(500, 'application/json', '{}');
    await until('it is given a pause', async () => (await verify()).body.code === 'circuit_open');
    const before = asked();
    const { status, body } = await verify();
    expect([status, body.ok, body.code]).toEqual([200, false, 'circuit_open']);
    expect(body.error).toMatch(/not called for some seconds/);
    expect(asked()).toBe(before);
  });

  it('cannot be given its credentials says why', async () => {
    world.vault.credentials.delete('cred_1');
    await until('the credential is gone for the gateway', async () => !(await verify()).body.ok);
    const { status, body } = await verify();
    expect([status, body.ok, body.code]).toEqual([200, false, 'missing_credentials']);
    expect(body.error).toMatch(/was deleted\. Link another one/);
  });

  it('belongs to another project is not found', async () => {
    expect((await world.call('POST', `apps/${app}/verify`, undefined, { projectId: 'prj_other' })).status).toBe(404);
  });
});
