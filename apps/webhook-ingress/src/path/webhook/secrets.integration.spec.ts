import type { Endpoint, MappedCredentials } from '#libs/contracts';
import { ChangeListener } from '#libs/database';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import {
  restoreLogs,
  silenceLogs,
  testDatabase,
  type TestDatabase,
  testPool,
  testServiceKey,
  until,
} from '#libs/testing';
import type pg from 'pg';
import { endpoint, type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { Refused } from '../request/incoming.js';
import { Secrets } from './verify-signature.js';

let database: TestDatabase;
let pool: pg.Pool;
let changes: ChangeListener;
let vault: FakeGateway;
let client: ServiceClient;
let secrets: Secrets;

beforeAll(async () => {
  silenceLogs();
  database = await testDatabase();
  pool = testPool(database.url);
  const db = { query: async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows };
  changes = new ChangeListener(db, { url: database.url, applicationName: 'ingress', schemas: ['gateway', 'vault'] });
  changes.onApplicationBootstrap();
});
afterAll(async () => {
  await changes.onApplicationShutdown();
  await pool.end();
  await database.drop();
  restoreLogs();
});
beforeEach(async () => {
  vault = await fakeGateway();
  client = new ServiceClient('credential-vault', vault.url, new ServiceTokens(testServiceKey, 'webhook-ingress'));
  secrets = cachedFor(3_600_000);
  await until('changes are heard', async () => changes.listening);
});
afterEach(async () => {
  await client.close();
  await vault.close();
});

const cachedFor = (CREDENTIAL_CACHE_MS: number): Secrets => new Secrets(client, changes, { CREDENTIAL_CACHE_MS });
const credentials = [
  { key: 'HOOK', type: 'text' as const, maps_to: 'signing_secret', credential_id: 'cred_hook' },
  { key: 'CHECK', type: 'api_key' as const, maps_to: 'verify_token', credential_id: 'cred_check' },
];
const fields = (of: Endpoint): Promise<MappedCredentials> => secrets.checked(of, (found) => found);
const announce = async (id: string): Promise<void> => {
  await pool.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', `credential ${id}`]);
  await changes.caughtUp();
};
/** Accepts one secret, as a signature does. */
const signedBy = (secret: string) => (found: MappedCredentials) => {
  if (![found['signing_secret']].flat().includes(secret)) throw new Refused(401, 'bad_signature', 'It does not match.');
  return 'accepted';
};

describe('the secrets of an endpoint', () => {
  it('come from all its records, by the bindings of its App, under their declared names, and are read once', async () => {
    vault.records.set('cred_hook', { secret: ['new', 'old'] }).set('cred_check', { token: 't' });
    const one = endpoint('one', { credentials });
    expect(await fields(one)).toMatchObject({ signing_secret: ['new', 'old'], verify_token: 't' });
    const consumer = { kind: 'app', id: 'app_one' };
    const asked = ['cred_hook', 'cred_check'].map((credential_id) => ({ credential_id, consumer }));
    expect(vault.resolved).toEqual(expect.arrayContaining(asked));
    expect(await fields(one)).toMatchObject({ verify_token: 't' });
    expect(vault.resolved).toHaveLength(2);
    expect(await fields(endpoint('none', { credentials: [] }))).toEqual({});
  });

  it('are read again when one of its records changes, and only that one', async () => {
    vault.records.set('cred_hook', { signing_secret: 'a' }).set('cred_check', { token: 't' });
    const one = endpoint('one', { credentials });
    await fields(one);
    vault.records.set('cred_hook', { signing_secret: 'b' });
    await announce('cred_hook');
    expect(await fields(one)).toMatchObject({ signing_secret: 'b', verify_token: 't' });
    await announce('cred_other');
    await fields(one);
    expect(vault.resolved.slice(2).map(({ credential_id: id }) => id)).toEqual(['cred_hook']);
  });

  it('are those of the records that are linked now, and remain available while the vault is down', async () => {
    secrets = cachedFor(0);
    vault.records.set('cred_hook', { signing_secret: 'a' }).set('cred_check', { token: 't' });
    await fields(endpoint('one', { credentials }));
    vault.vaultDown = true;
    expect(await fields(endpoint('one', { credentials, version: 2 }))).toMatchObject({ signing_secret: 'a' });
    const relinked = [{ ...credentials[0]!, credential_id: 'cred_next' }];
    await expect(fields(endpoint('one', { credentials: relinked, version: 3 }))).rejects.toThrow();
    vault.vaultDown = false;
    vault.records.set('cred_next', { signing_secret: 'b' });
    expect(await fields(endpoint('one', { credentials: relinked, version: 3 }))).toEqual({ signing_secret: 'b' });
  });

  it('are not used while the vault is down once they have changed', async () => {
    const one = endpoint('one', { credentials: credentials.slice(0, 1) });
    vault.records.set('cred_hook', { signing_secret: 'a' });
    await fields(one);
    vault.vaultDown = true;
    await announce('cred_hook');
    await expect(fields(one)).rejects.toMatchObject({ status: 503 });
  });

  it('are read anew before a request is refused, however many of those come', async () => {
    secrets = cachedFor(3_600_000);
    const one = endpoint('one', { credentials: credentials.slice(0, 1) });
    vault.records.set('cred_hook', { signing_secret: 'a' });
    await fields(one);
    // As when a connection was cut off silently: nothing is heard of the change.
    vault.records.set('cred_hook', { signing_secret: 'b' });
    await until('the new one is accepted', async () => {
      const answer = await secrets.checked(one, signedBy('b')).catch((error: unknown) => error);
      return answer === 'accepted';
    });
    const before = vault.resolved.length;
    const startedMs = Date.now();
    const forged = Array.from({ length: 200 }, () => secrets.checked(one, signedBy('forged')));
    const answers = await Promise.allSettled(forged);
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    const seconds = Math.ceil((Date.now() - startedMs) / 1_000);
    expect(vault.resolved.length - before).toBeLessThanOrEqual(seconds + 1);
  });
});
