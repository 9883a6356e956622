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
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { OpenedCredentials } from './opened-credentials.js';

let database: TestDatabase;
let pool: pg.Pool;
let changes: ChangeListener;
let server: Server;
let client: ServiceClient;
/** What the vault has stored; a number is the status of its refusal. */
let stored: string | number;
/** Answers that the test holds back; null: none is. */
let held: (() => void)[] | null;
let reads: string[];

beforeAll(async () => {
  silenceLogs();
  database = await testDatabase();
  pool = testPool(database.url);
  const db = { query: async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows };
  changes = new ChangeListener(db, { url: database.url, applicationName: 'opened', schemas: ['own', 'vault'] });
  changes.onApplicationBootstrap();
  server = createServer((request, response) => {
    reads.push(String(request.headers['cache-control']));
    request.resume();
    request.on('end', () => {
      const send = answerWith(response, stored);
      if (held) held.push(send);
      else send();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new ServiceClient('credential-vault', url, new ServiceTokens(testServiceKey, 'adapter-gateway'));
});
afterAll(async () => {
  await changes.onApplicationShutdown();
  await client.close();
  server.closeAllConnections();
  server.close();
  await pool.end();
  await database.drop();
  restoreLogs();
});
beforeEach(async () => {
  [stored, held, reads] = ['first', null, []];
  await until('changes are heard', async () => changes.listening);
});

/** The answer of a read that began now, whenever it is sent. */
const answerWith = (response: ServerResponse, value: string | number) => (): void => {
  const status = typeof value === 'number' ? value : 200;
  const body =
    typeof value === 'number' ? { code: 'refused', detail: 'no' } : { type: 'text', fields: { token: value } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const scope = { organizationId: 'org_1', projectId: 'prj_1' };
const asked = { credential_id: 'cred_1', consumer: { kind: 'app' as const, id: 'app_1' } };
const opened = (ms = 3_600_000, outageMs = 0) => new OpenedCredentials(client, changes, { ms, outageMs });
const token = async (of: OpenedCredentials): Promise<unknown> => (await of.get(scope, asked)).fields['token'];
const announce = async (): Promise<void> => {
  await pool.query(`SELECT pg_notify('gatehouse_vault', 'credential cred_1')`);
  await changes.caughtUp();
};

describe('a credential that the vault has opened', () => {
  it('is read once, past the cache of the vault, and again when it changes', async () => {
    const credentials = opened();
    expect(await token(credentials)).toBe('first');
    stored = 'second';
    expect(await token(credentials)).toBe('first');
    expect(credentials.known(asked)?.fields).toEqual({ token: 'first' });
    await announce();
    expect(credentials.known(asked)).toBeNull();
    expect(await token(credentials)).toBe('second');
    expect(reads).toEqual(['no-cache', 'no-cache']);
  });

  it('is given to nobody as it was when its read began, if it changes before that ends', async () => {
    const credentials = opened();
    held = [];
    const early = token(credentials);
    await until('the vault was asked', async () => held?.length === 1);
    const [send] = held;
    [stored, held] = ['second', null];
    await announce();
    send?.();
    expect(await early).toBe('second');
    expect(await token(credentials)).toBe('second');
    expect(reads).toHaveLength(2);
  });

  it('is not used after it was deleted or its binding removed', async () => {
    const credentials = opened(0, 3_600_000);
    for (const status of [404, 403]) {
      stored = 'first';
      expect(await token(credentials)).toBe('first');
      stored = status;
      await expect(token(credentials)).rejects.toMatchObject({ status });
    }
  });

  it('is used while the vault does not answer, unless it has changed', async () => {
    const credentials = opened(0, 3_600_000);
    expect(await token(credentials)).toBe('first');
    stored = 503;
    expect(await token(credentials)).toBe('first');
    await announce();
    await expect(token(credentials)).rejects.toMatchObject({ status: 503 });
  });

  it('is used while neither the vault answers nor changes are heard, where that is asked for, until it has changed', async () => {
    const credentials = new OpenedCredentials(client, changes, { ms: 0, outageMs: 3_600_000, unheard: true });
    const strict = opened(0, 3_600_000);
    for (const each of [credentials, strict]) expect(await token(each)).toBe('first');
    const lost = until('nothing is heard', async () => !changes.listening);
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'opened-changes'`,
    );
    await lost;
    stored = 503;
    expect(await token(credentials)).toBe('first');
    await expect(token(strict)).rejects.toMatchObject({ status: 503 });
    await until('changes are heard', async () => changes.listening);
    expect(await token(credentials)).toBe('first');
    await announce();
    await expect(token(credentials)).rejects.toMatchObject({ status: 503 });
  });

  it('is read again and again while changes are not heard', async () => {
    const credentials = opened();
    await token(credentials);
    const lost = until('nothing is heard', async () => !changes.listening);
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'opened-changes'`,
    );
    await lost;
    stored = 'second';
    await until('the new one is used', async () => (await token(credentials)) === 'second');
  });
});
