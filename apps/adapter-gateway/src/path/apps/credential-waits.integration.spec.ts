import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { fakeIngress, type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

const account = { key: 'ACCOUNT', type: 'oauth2', label: 'Account', maps_to: 'access_token' };

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let credential: string;
let app: string;

beforeAll(async () => {
  const ingress = await fakeIngress();
  world = await startGateway({ INGRESS_URL: ingress.url }, ingress);
  deliveries = new Deliveries(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  const name = newId('cred');
  credential = name;
  world.vault.credentials.set(name, { client_id: 'c' });
  world.vault.types.set(name, 'oauth2');
  adapter = await fakeAdapter(`account-${name.slice(-8)}`, { credentials: [account] });
  adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
  adapter.routes['parse-inbound'] = () => ({ event_type: 'said', sender: 'ada', message: 'hi', is_bot: false });
  await world.call('POST', 'adapters', { url: adapter.url });
});
afterEach(() => adapter.close());

const install = async (credentials: object): Promise<void> => {
  app = (await world.call('POST', `listings/${adapter.slug}/install`, { credentials })).body.id;
};
const receive = () => world.receive(app, { request: null });
const announce = () => world.pool.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', `credential ${credential}`]);
const connect = async (): Promise<void> => {
  world.vault.credentials.set(credential, { client_id: 'c', access_token: 't' });
  await announce();
};
/** Registers an adapter that declares a key, no consent. */
const replaceAdapter = async (): Promise<void> => {
  const { routes, manifest } = adapter;
  await adapter.close();
  adapter = await fakeAdapter(`key-${credential.slice(-8)}`, { credentials: manifest.credentials });
  for (const route of ['deliver', 'parse-inbound']) adapter.routes[route] = routes[route]!;
  await world.call('POST', 'adapters', { url: adapter.url });
};
const storyOf = async (receiptId: string): Promise<{ outcome: string; reason: string; error: string }[]> =>
  (
    await world.pool.query(
      `SELECT outcome, reason, detail ->> 'error' AS error FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at`,
      [receiptId],
    )
  ).rows;
const waiting = (id: string, code: string) =>
  until('the reply waits', async () => {
    const row = await deliveries.read(id);
    return row.state === 'queued' && row.error === code ? row : null;
  });
const held = (receiptId: string, code: string) =>
  until('the message waits', async () => {
    const sql = `SELECT tries, reason FROM gateway.inbound_wait WHERE receipt_id = $1 AND state = 'queued'`;
    const [row] = (await world.pool.query(sql, [receiptId])).rows;
    return row?.reason === code ? row : null;
  });
const calls = () => adapter.calls.filter(({ route }) => route === 'deliver' || route === 'parse-inbound').length;

describe('messages and replies of an App whose credential is not connected', () => {
  it('wait at no cost with the reason, and continue as soon as it is', async () => {
    await install({ ACCOUNT: credential });
    const [reply, message] = [await deliveries.send(app), await receive()];
    expect(await waiting(reply, 'not_connected')).toMatchObject({
      attempts: 0,
      failing_since: null,
      error_detail: expect.stringContaining('work continues when that is done'),
    });
    expect(await held(message, 'not_connected')).toMatchObject({ tries: 0 });
    expect(calls()).toBe(0);
    // A change that does not connect it releases nothing for good, and is not repeated on the timeline.
    await announce();
    await connect();
    await deliveries.inState(reply, 'delivered');
    await world.routed(message);
    expect(await deliveries.journalOf(reply)).toEqual(['retrying not_connected', 'delivered']);
    const [first, ...rest] = await storyOf(message);
    expect(first).toMatchObject({ outcome: 'retrying', reason: 'not_connected' });
    expect(rest.filter(({ reason }) => reason === 'not_connected')).toEqual([]);
  });

  it('wait when it has to be connected again, without a dead letter', async () => {
    world.vault.credentials.set(credential, { client_id: 'c', access_token: 't' });
    await install({ ACCOUNT: credential });
    await deliveries.inState(await deliveries.send(app), 'delivered');
    world.vault.versions.set(credential, 1);
    adapter.routes['deliver'] = () => ({ ok: false, error: 'auth_failed' });
    world.vault.replace = (id) => {
      world.vault.credentials.set(id, { client_id: 'c' });
      return [{ code: 'needs_reconnect', detail: 'connect it again' }, 409];
    };
    await announce();
    const reply = await deliveries.send(app);
    await waiting(reply, 'not_connected');
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    await connect();
    await deliveries.inState(reply, 'delivered');
    const letters = await world.pool.query('SELECT FROM journal.dead_letter WHERE subject_id = $1', [reply]);
    expect(letters.rowCount).toBe(0);
  });

  it('wait for a record that was deleted, until the App is linked to another one', async () => {
    await install({ ACCOUNT: credential });
    world.vault.credentials.delete(credential);
    await announce();
    const [reply, message] = [await deliveries.send(app), await receive()];
    await waiting(reply, 'credential_not_found');
    await held(message, 'credential_not_found');
    const other = newId('cred');
    world.vault.credentials.set(other, { access_token: 't' });
    world.vault.types.set(other, 'oauth2');
    expect((await world.call('PATCH', `apps/${app}`, { credentials: { ACCOUNT: other } })).status).toBe(200);
    await deliveries.inState(reply, 'delivered');
    await world.routed(message);
  });

  it('wait until a required credential is linked', async () => {
    await install({});
    const [reply, message] = [await deliveries.send(app), await receive()];
    expect(await waiting(reply, 'credentials_missing')).toMatchObject({
      error_detail: expect.stringContaining('Account (ACCOUNT) of the App'),
    });
    await held(message, 'credentials_missing');
    world.vault.credentials.set(credential, { access_token: 't' });
    expect((await world.call('PATCH', `apps/${app}`, { credentials: { ACCOUNT: credential } })).status).toBe(200);
    await deliveries.inState(reply, 'delivered');
    await world.routed(message);
  });

  it('wait until a key is linked that the adapter cannot do without', async () => {
    adapter.manifest.credentials = [{ key: 'KEY', type: 'api_key', label: 'Key', maps_to: 'token' }];
    adapter.routes['deliver'] = ({ credentials }) =>
      credentials['token'] === 'k' ? { ok: true, message_id: 'm' } : { ok: false, error: 'auth_failed' };
    await replaceAdapter();
    await install({});
    const reply = await deliveries.send(app);
    await waiting(reply, 'credentials_missing');
    world.vault.credentials.set(credential, { token: 'k' });
    world.vault.types.set(credential, 'api_key');
    expect((await world.call('PATCH', `apps/${app}`, { credentials: { KEY: credential } })).status).toBe(200);
    await deliveries.inState(reply, 'delivered');
  });

  it('are tried when a person redrives them, and wait again at no cost while nothing has changed', async () => {
    await install({ ACCOUNT: credential });
    const reply = await deliveries.send(app);
    const before = await waiting(reply, 'not_connected');
    expect((await world.call('POST', `deliveries/${reply}/redrive`)).status).toBe(202);
    await until('it waits again', async () => {
      const row = await deliveries.read(reply);
      return row.state === 'queued' && (row.lease_until ?? '') > (before.lease_until ?? '') && row.attempts === 0;
    });
    expect(await deliveries.journalOf(reply)).toEqual(['retrying not_connected']);
    // Nobody hears of this.
    world.vault.credentials.set(credential, { access_token: 't' });
    expect((await world.call('POST', `deliveries/${reply}/redrive`)).status).toBe(202);
    await deliveries.inState(reply, 'delivered');
    expect((await world.call('POST', `deliveries/${reply}/redrive`)).body.code).toBe('not_redrivable');
  });

  it('are found by the sweep when nobody hears of the change', async () => {
    await install({ ACCOUNT: credential });
    const reply = await deliveries.send(app);
    await waiting(reply, 'not_connected');
    world.vault.credentials.set(credential, { access_token: 't' });
    await world.pool.query(`UPDATE gateway.delivery SET due_at = now() - interval '1 minute' WHERE id = $1`, [reply]);
    await deliveries.inState(reply, 'delivered');
  });

  it('end when they have waited too long', async () => {
    await install({ ACCOUNT: credential });
    const reply = await deliveries.send(app);
    await waiting(reply, 'not_connected');
    const old = `UPDATE gateway.delivery SET open_since = now() - interval '30 days', due_at = now() - interval '1 minute'`;
    await world.pool.query(`${old} WHERE id = $1`, [reply]);
    expect(await deliveries.inState(reply, 'dead')).toMatchObject({
      error: 'not_connected',
      error_detail: expect.stringContaining('DELIVERY_MAX_AGE_MS'),
    });
  });
});
