import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { Deliveries } from '../../testing/deliveries.js';
import { type CallBody, type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { fakeIngress, type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

const account = { key: 'ACCOUNT', type: 'oauth2', label: 'Account', maps_to: 'access_token' };
const message = { event_type: 'said', sender: 'ada', message: 'hi', is_bot: false };
const changed = { event_type: 'mailbox_changed', sender: 'ada', message: 'changed', is_bot: false };

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let credential: string;
let app: string;

beforeAll(async () => {
  const ingress = await fakeIngress();
  world = await startGateway({ INGRESS_URL: ingress.url, RENEWAL_SWEEP_MS: 50 }, ingress);
  deliveries = new Deliveries(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  credential = newId('cred');
  world.vault.refused.length = 0;
  world.vault.credentials.set(credential, { access_token: 'old' });
  world.vault.types.set(credential, 'oauth2');
  world.vault.versions.set(credential, 1);
  world.vault.replace = replaceWith('new');
});
afterEach(() => adapter.close());

const replaceWith = (token: string) => (id: string) => {
  world.vault.credentials.set(id, { access_token: token });
  world.vault.versions.set(id, (world.vault.versions.get(id) ?? 0) + 1);
  return null;
};
const lapse = (id: string): [object, number] => {
  world.vault.credentials.set(id, {});
  return [{ code: 'needs_reconnect', detail: 'connect it again' }, 409];
};
const connect = async (): Promise<void> => {
  replaceWith('new')(credential);
  await world.pool.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', `credential ${credential}`]);
};
const install = async (manifest: object = {}): Promise<void> => {
  adapter = await fakeAdapter(`refusing-${credential.slice(-8)}`, { credentials: [account], ...manifest });
  adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
};
const installed = async (): Promise<void> => {
  app = (await world.install(adapter, { credentials: { ACCOUNT: credential } })).id;
};
/** The provider of a route accepts only the token `new`. */
const accepting =
  (answer: object | ((body: CallBody, response: ServerResponse) => void), refusal?: object) =>
  (body: CallBody, response: ServerResponse): unknown => {
    if (body.credentials['access_token'] === 'new') {
      return typeof answer === 'function' ? answer(body, response) : answer;
    }
    return refusal ?? void response.writeHead(401).end();
  };
const tokensOf = (route: string) => adapter.bodiesOf(route).map(({ credentials }) => credentials['access_token']);
const receive = () => world.receive(app, { request: null });
const addSource = async (): Promise<string> => {
  const { id } = (await world.call('POST', 'sources', { app_id: app, name: 'Docs', resource_path: 'root' })).body;
  await world.call('POST', `sources/${id}/sync`);
  return id;
};
const runOf = async (source: string, state: string) =>
  until(`the run is ${state}`, async () => {
    const [run] = (await world.call('GET', `sources/${source}/runs`)).body.data;
    return run?.state === state ? run : null;
  });
const listing = (token: string) => ({
  changes: [{ path: `${token}.md`, fingerprint: 'f', status: 'added' }],
  cursor: 'end',
});
const refusal = { ok: false, error: 'auth_failed', message: 'token revoked' };

describe('an access token that the provider refuses is replaced, and the call is made once more', () => {
  it.each([
    ['by status 401', undefined],
    ['by auth_failed', refusal],
  ])('in a source, %s', async (_how, refused) => {
    await install();
    adapter.routes['sources/list-changes'] = accepting(listing('a'), refused);
    await installed();
    adapter.routes['sources/fetch-file'] = accepting({ content_base64: 'aGk=', content_type: 'text/plain' }, refused);
    const source = await addSource();
    expect(await runOf(source, 'succeeded')).toMatchObject({ added: 1, failed: 0 });
    expect(tokensOf('sources/list-changes').slice(0, 2)).toEqual(['old', 'new']);
    // Another is refused between the listing and the document.
    replaceWith('old')(credential);
    await world.pool.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', `credential ${credential}`]);
    // A sync that begins before the gateway has heard of it still has the new one.
    let syncs = 0;
    await until('it is refused', async () => {
      adapter.routes['sources/list-changes'] = () => listing(`b${(syncs += 1)}`);
      await world.call('POST', `sources/${source}/sync`);
      await runOf(source, 'succeeded');
      return tokensOf('sources/fetch-file').includes('old');
    });
    await until('the document is fetched', () => tokensOf('sources/fetch-file').at(-1) === 'new');
    expect(await runOf(source, 'succeeded')).toMatchObject({ failed: 0 });
  });

  it.each([
    ['by status 401', message, undefined],
    ['as messages that it cannot fetch', message, { ...changed, metadata: { messages_unavailable: 'auth_failed' } }],
  ])('in /parse-inbound, %s', async (_how, answer, refused) => {
    await install();
    adapter.routes['parse-inbound'] = accepting(answer, refused);
    await installed();
    expect(await world.routed(await receive())).toMatchObject({ messages: [{ event_type: 'said' }] });
    expect(tokensOf('parse-inbound')).toEqual(['old', 'new']);
  });

  it('in the renewal of a webhook', async () => {
    await install({ webhook: { renew_seconds: 86_400 } });
    adapter.routes['renew-webhook'] = accepting({ ok: true }, refusal);
    await installed();
    await until('it is renewed', async () => {
      const { body } = await world.call('GET', `apps/${app}/webhook-renewal`);
      return body.renewed_at;
    });
    expect(tokensOf('renew-webhook')).toEqual(['old', 'new']);
  });

  it('in the Verify action, and in a call that somebody waits for', async () => {
    await install();
    adapter.routes['verify'] = accepting({ ok: true, user: 'Ada' }, refusal);
    adapter.routes['format'] = accepting({ text: 'hi', format: 'plain', parts: ['hi'], lossy: [] });
    await installed();
    expect((await world.call('POST', `apps/${app}/verify`)).body).toMatchObject({ ok: true, user: 'Ada' });
    expect(tokensOf('verify')).toEqual(['old', 'new']);
    replaceWith('old')(credential);
    await world.pool.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', `credential ${credential}`]);
    adapter.calls.length = 0;
    const formatted = await world.internal('POST', 'adapter-calls/format', { app_id: app, text: 'hi' });
    expect(formatted.body).toMatchObject({ text: 'hi' });
    expect(tokensOf('format')).toEqual(['old', 'new']);
  });

  it('in the look-up of a message whose answer was lost', async () => {
    await install({ message: { lookup: true } });
    adapter.routes['deliver'] = (_body, response) => void response.destroy();
    adapter.routes['deliver/lookup'] = accepting({ found: true, message_id: 'found' });
    await installed();
    const row = await deliveries.inState(await deliveries.send(app), 'delivered', 'dead', 'unknown');
    expect(row).toMatchObject({ state: 'delivered', provider_message_id: 'found' });
    expect(tokensOf('deliver/lookup')).toEqual(['old', 'new']);
  });

  it('fails when the second token is refused too, and no third one is asked for', async () => {
    world.vault.replace = replaceWith('also old');
    await install();
    adapter.routes['sources/list-changes'] = accepting(listing('a'), refusal);
    await installed();
    expect(await runOf(await addSource(), 'failed')).toMatchObject({ error: 'auth_failed' });
    expect(tokensOf('sources/list-changes')).toEqual(['old', 'also old']);
    expect(world.vault.refused).toHaveLength(1);
  });
});

describe('where the consent has lapsed', () => {
  it('a source waits with the reason, and continues when it is connected again', async () => {
    world.vault.replace = lapse;
    await install();
    adapter.routes['sources/list-changes'] = accepting({ changes: [], cursor: 'end' }, refusal);
    await installed();
    const source = await addSource();
    const shown = await until(
      'it shows why',
      async () => (await world.call('GET', `sources/${source}`)).body.sync_failure,
    );
    expect(shown).toMatchObject({ code: 'not_connected', error: expect.stringContaining('work continues') });
    expect((await runOf(source, 'queued')).error).toBe('not_connected');
    await connect();
    await runOf(source, 'succeeded');
    expect(tokensOf('sources/list-changes')).toEqual(['old', 'new']);
  });

  it('a message waits, and the renewal of the webhook does', async () => {
    world.vault.replace = lapse;
    await install({ webhook: { renew_seconds: 86_400 } });
    adapter.routes['renew-webhook'] = accepting({ ok: true }, refusal);
    adapter.routes['parse-inbound'] = accepting(message);
    await installed();
    await until('the App shows it', async () => {
      const { body } = await world.call('GET', `apps/${app}`);
      return body.renewal_failure?.code === 'not_connected';
    });
    const receipt = await receive();
    await until('the message waits', async () => {
      const sql = 'SELECT reason FROM gateway.inbound_wait WHERE receipt_id = $1';
      return (await world.pool.query(sql, [receipt])).rows[0]?.reason === 'not_connected';
    });
    await connect();
    await world.routed(receipt);
    await until('it is renewed', async () => (await world.call('GET', `apps/${app}/webhook-renewal`)).body.renewed_at);
  });
});
