import { everyEntry } from '#libs/journal';
import type { ServerResponse } from 'node:http';
import { newId } from '#libs/contracts';
import { home, until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { sendJson } from '../../testing/http-server.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  world = await startGateway({ ADAPTER_TIMEOUT_MS: 6_000 });
});
afterAll(() => world.close());

beforeEach(async () => {
  adapter = await fakeAdapter(`calls-${Math.random().toString(36).slice(2, 8)}`);
  world.vault.credentials.set('cred_1', { TOKEN: 'secret' });
  app = (await world.install(adapter, { credential_id: 'cred_1' })).id;
});
afterEach(() => adapter.close());

const ask = (call: string, body: object, scope?: object) =>
  world.internal('POST', `adapter-calls/${call}`, body, scope);
const callsOf = (route: string) => adapter.calls.filter((call) => call.route === route).map(({ body }) => body);

describe('verify', () => {
  it('names the account of credentials, for an organization and an adapter', async () => {
    adapter.routes['verify'] = ({ credentials }) =>
      credentials.token === 'good'
        ? { ok: true, user: 'Bot', account: { id: 'U1' } }
        : { ok: false, error: 'auth_failed', message: 'no' };
    const call = (token: string): object => ({
      organization_id: home.organizationId,
      adapter_slug: adapter.slug,
      credentials: { token },
    });
    const vault = { organizationId: '', projectId: '' };
    expect((await ask('verify', call('good'), vault)).body).toEqual({ ok: true, user: 'Bot', account: { id: 'U1' } });
    const refused = { ok: false, code: 'auth_failed', error: 'The provider does not accept the credentials: no' };
    expect((await ask('verify', call('bad'))).body).toEqual(refused);
    expect((await ask('verify', call('good'), { organizationId: 'org_other' })).status).toBe(404);
  });

  it('sends the credential of an App by maps_to', async () => {
    adapter.routes['verify'] = () => ({ ok: true, user: 'Bot' });
    expect((await ask('verify', { app_id: app })).body).toEqual({ ok: true, user: 'Bot' });
    expect(callsOf('verify')[0]?.credentials).toMatchObject({ token: 'secret' });
    expect((await ask('verify', { app_id: app }, { projectId: 'prj_other' })).status).toBe(404);
    expect((await ask('verify', { app_id: app, adapter_slug: adapter.slug })).body.code).toBe('app_or_adapter');
  });

  it('answers 403 to a caller that is no service', async () => {
    const answer = await world.internal('POST', 'adapter-calls/verify', { app_id: app }, { scopes: ['admin'] });
    expect(answer.status).toBe(403);
  });
});

describe('an adapter that answers wrongly', () => {
  it.each<[string, (response: ServerResponse) => unknown, number, string, number]>([
    [
      'HTML',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      502,
      'contract_violation',
      1,
    ],
    [
      '2 MB',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(2e6)),
      502,
      'contract_violation',
      1,
    ],
    ['nothing', () => undefined, 504, 'timeout', 1],
    ['500', (response) => response.writeHead(500).end(), 503, 'provider_unavailable', 3],
    ['429', (response) => response.writeHead(429, { 'retry-after': '30' }).end(), 503, 'provider_unavailable', 1],
  ])('with %s is reported with a code of its own', async (_what, answer, status, code, calls) => {
    adapter.routes['format'] = (_body, response) => void answer(response);
    const refusal = await ask('format', { app_id: app, text: 'hello' });
    expect([refusal.status, refusal.body.code]).toEqual([status, code]);
    expect(callsOf('format')).toHaveLength(calls);
    if (code === 'provider_unavailable') expect(refusal.headers.get('retry-after')).toBe(calls === 1 ? '30' : '2');
  });

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'contract_violation'],
    ['nothing', () => undefined, 'timeout'],
    ['500', (response) => response.writeHead(500).end(), 'provider_unavailable'],
  ])('with %s leaves a verification with an outcome', async (_what, answer, code) => {
    adapter.routes['verify'] = (_body, response) => void answer(response);
    const { status, body } = await ask('verify', { app_id: app });
    expect([status, body.ok, body.code]).toEqual([200, false, code]);
  });

  it('is called again after a 503, until it answers', async () => {
    let asked = 0;
    adapter.routes['verify'] = (_body, response) => {
      asked += 1;
      if (asked < 3) return void response.writeHead(503).end();
      return { ok: true, user: 'Bot' };
    };
    expect((await ask('verify', { app_id: app })).body).toMatchObject({ ok: true });
  });
});

describe('format, list-changes and fetch-file', () => {
  it('return what the adapter answers', async () => {
    expect((await ask('format', { app_id: app, text: 'hello', mode: 'plain' })).body.text).toBe('hello');
    expect(callsOf('format')).toEqual([
      { credentials: { TOKEN: 'secret', token: 'secret' }, text: 'hello', mode: 'plain' },
    ]);
    adapter.routes['sources/list-changes'] = ({ cursor }) => ({
      changes: [{ path: 'a', fingerprint: '1', status: 'added' }],
      cursor: `${cursor}+`,
      has_more: true,
    });
    expect((await ask('list-changes', { app_id: app, resource_path: 'r', cursor: 'c' })).body).toEqual({
      changes: [{ path: 'a', fingerprint: '1', status: 'added' }],
      cursor: 'c+',
      has_more: true,
    });
    adapter.routes['sources/list-changes'] = () => ({ ok: false, error: 'cursor_expired' });
    expect((await ask('list-changes', { app_id: app, resource_path: 'r' })).body).toMatchObject({
      ok: false,
      error: 'cursor_expired',
    });
    adapter.routes['sources/fetch-file'] = (_body, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end('bytes');
    const file = await ask('fetch-file', { app_id: app, resource_path: 'r', file_path: 'a' });
    expect(Buffer.from(file.body.content_base64 ?? '', 'base64').toString()).toBe('bytes');
    expect(file.body).toMatchObject({ content_type: 'text/plain', size: 5 });
  });
});

describe('deliver', () => {
  const message = (key: string, text = 'hello') => ({
    app_id: app,
    channel_address: 'room',
    message: { text, thread_id: 't', subject: 's' },
    idempotency_key: key,
  });

  it('delivers once per key, however many concurrent calls there are', async () => {
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    const key = newId('req');
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask('deliver', message(key))));
    expect(new Set(answers.map(({ body }) => body.delivery_id)).size).toBe(1);
    expect((await ask('deliver', message(key))).body).toMatchObject({ state: 'delivered', message_id: 'm1' });
    expect(callsOf('deliver')).toHaveLength(1);
    expect(callsOf('deliver')[0]?.message).toMatchObject({ text: 'hello', thread_id: 't', subject: 's' });
    expect((await ask('deliver', message(key, 'other'))).body.code).toBe('idempotency_key_reused');
  });

  it('delivers files in every attempt, and keeps them no longer', async () => {
    adapter.manifest.message = { attachments: true, max_attachment_bytes: 100 };
    await world.call(
      'POST',
      `adapters/${(await world.call('GET', 'adapters')).body.data.find((row) => row.slug === adapter.slug)?.id}/refresh`,
      {},
    );
    const file = (text: string, name = 'a.txt') => ({
      name,
      content_type: 'text/plain',
      content_base64: Buffer.from(text).toString('base64'),
    });
    const withFiles = (key: string, ...attachments: object[]) => {
      const body = message(key);
      return { ...body, message: { ...body.message, attachments } };
    };
    const detail = { message: 'slow down', retryable: true, retry_after: 0.2 };
    const stored = async (): Promise<number> =>
      (await world.pool.query('SELECT count(*)::int AS n FROM gateway.delivery_attachment')).rows[0].n;
    const storedAt: number[] = [];
    adapter.routes['deliver'] = async (_body, response) => {
      const attempt = storedAt.push(await stored());
      const slowed = { ok: false, error: 'rate_limited', error_detail: detail };
      sendJson(response, attempt === 1 ? slowed : { ok: true, message_id: 'm1' });
    };
    const first = (await ask('deliver', withFiles('files', file('one'), file('two', 'b.txt')))).body;
    expect(first.state).toBe('queued');
    await until(
      'it arrived',
      async () =>
        (await ask('deliver', withFiles('files', file('one'), file('two', 'b.txt')))).body.state === 'delivered',
    );
    expect(callsOf('deliver').map(({ message: sent }) => sent.attachments)).toEqual(
      [1, 2].map(() => [
        { id: '1', size: 3, ...file('one') },
        { id: '2', size: 3, ...file('two', 'b.txt') },
      ]),
    );
    expect([storedAt, await stored()]).toEqual([[2, 2], 0]);
    const codes = async (...attachments: object[]) =>
      (await ask('deliver', withFiles('files', ...attachments))).body.code;
    expect(await codes(file('one'), file('TWO', 'b.txt'))).toBe('idempotency_key_reused');
    expect(await codes(file('x'.repeat(101)))).toBe('attachments_too_large');
    expect(await codes({ name: 'a', content_base64: 'no base64!' })).toBe('invalid_fields');
  });

  it('refuses files at once where the adapter takes none', async () => {
    const body = message('none');
    const attachments = [{ name: 'a.txt', content_base64: 'eA==' }];
    const refused = await ask('deliver', { ...body, message: { ...body.message, attachments } });
    expect([refused.status, refused.body.code]).toEqual([422, 'attachments_unsupported']);
    expect(callsOf('deliver')).toEqual([]);
  });

  const rich = {
    edit_of: 'm0',
    actions: [
      { id: 'yes', label: 'Approve', style: 'primary', value: 'sealed-yes' },
      { id: 'no', label: 'Deny', value: 'sealed-no' },
    ],
    reaction: { to: 'm0', emoji: '👍' },
  };
  const withFeatures = async (key: string, more: object, features: string[], limit = 1_000) => {
    adapter.manifest.features = features;
    adapter.manifest.message = { max_length: limit };
    adapter.routes['format'] = ({ text }) => ({ text, format: 'plain' });
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    const { data } = (await world.call('GET', 'adapters')).body;
    await world.call('POST', `adapters/${data.find((row) => row.slug === adapter.slug)?.id}/refresh`, {});
    const body = message(key);
    return ask('deliver', { ...body, message: { ...body.message, ...more } });
  };

  it('hands over what a message has beyond its text, the edit with its first part and the rest with its last', async () => {
    const text = `${'a'.repeat(30)}\n\n${'b'.repeat(30)}`;
    const sent = await withFeatures('rich', { ...rich, text }, ['edit', 'actions', 'reactions'], 40);
    expect(sent.body).toMatchObject({ state: 'delivered', delivered_parts: 2 });
    const [first, last] = callsOf('deliver').map(({ message: part }) => part);
    expect(first).toMatchObject({ edit_of: 'm0' });
    expect([first?.actions, first?.reaction]).toEqual([undefined, undefined]);
    expect(last).toMatchObject({ actions: rich.actions, reaction_to: 'm0', reaction: '👍' });
    expect(last?.edit_of).toBeUndefined();
  });

  it('falls back, and says so, where the adapter does not list a feature', async () => {
    const sent = await withFeatures('poor', { ...rich, text: 'Deploy?' }, []);
    expect(sent.body.state).toBe('delivered');
    const [delivered] = callsOf('deliver');
    expect(delivered?.message).toEqual({
      text: 'Deploy?\n\nAnswer with a number:\n\n1. Approve\n2. Deny',
      format: 'plain',
      subject: 's',
      thread_id: 't',
    });
    const { rows } = await world.pool.query(
      `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'delivered'`,
      [sent.body.delivery_id],
    );
    expect(rows[0].detail).toMatchObject({ left_out: ['edit', 'actions', 'reactions'] });
    const alone = await withFeatures('alone', { text: '', reaction: rich.reaction }, []);
    expect(alone.body).toMatchObject({ state: 'dead', error: 'unsupported' });
    expect(callsOf('deliver')).toHaveLength(1);
  });

  it('shows that an answer is written, where the adapter lists that, and asks no other one', async () => {
    const shown = { app_id: app, channel_address: 'room', thread_id: 't', state: 'working' };
    expect((await ask('indicate', shown)).body).toEqual({ ok: false });
    expect(callsOf('indicate')).toEqual([]);
    await withFeatures('typing', { text: 'x' }, ['typing']);
    adapter.routes['indicate'] = () => ({ ok: true });
    expect((await ask('indicate', shown)).body).toEqual({ ok: true });
    expect(callsOf('indicate')).toMatchObject([{ channel_address: 'room', thread_id: 't', state: 'working' }]);
    expect((await ask('indicate', shown, { projectId: 'prj_other' })).status).toBe(404);
    adapter.routes['indicate'] = (_body, response) => void response.writeHead(500).end();
    expect((await ask('indicate', shown)).status).toBe(503);
    expect(callsOf('indicate')).toHaveLength(2);
  });

  it('refuses actions that no button can carry, and names the field', async () => {
    const [first] = rich.actions;
    const long = await withFeatures('long', { actions: [{ ...first, value: 'ü'.repeat(40) }] }, ['actions']);
    const twice = await withFeatures('twice', { actions: [first, first] }, ['actions']);
    expect([long, twice].map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'invalid_fields'],
      [422, 'invalid_fields'],
    ]);
    expect(JSON.stringify(long.body)).toContain('message.actions.0.value');
    expect(JSON.stringify(twice.body)).toContain('message.actions.1.id');
  });

  it('reports a delivery that has to wait, and one whose answer was lost', async () => {
    const detail = { message: 'slow down', retryable: true, retry_after: 60 };
    adapter.routes['deliver'] = () => ({ ok: false, error: 'rate_limited', error_detail: detail, delivered_parts: 2 });
    expect((await ask('deliver', message('waits'))).body).toMatchObject({
      state: 'queued',
      error: 'rate_limited',
      error_detail: 'slow down',
      delivered_parts: 2,
    });
    adapter.routes['deliver'] = (_body, response) => void response.destroy();
    expect((await ask('deliver', message('lost'))).body).toMatchObject({ state: 'unknown', error: 'answer_lost' });
    expect((await ask('deliver', message('lost'), { projectId: 'prj_other' })).status).toBe(404);
  });
});
