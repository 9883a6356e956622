import { migrateAll } from '#libs/database';
import { emptyTestDatabase, takeRedisDatabase, type TestDatabase, until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import { type ChangingMcpServer, openChangingMcpServer } from '../console/changing-mcp-server.js';
import { type DocumentAdapter, openDocumentAdapter } from '../system/document-adapter.js';
import { openSink, type Sink } from '../system/sink.js';
import { startSystem, type System } from '../system/system.js';
import { hmac, post } from '../system/webhook.js';
import { writeKeys } from './keys.js';
import { type Migrations, runMigrations } from './migrations.js';
import { namesToPlaces, type Places, type Recorded, recordedSecrets, releases, releasesDir } from './release.js';
import { writeRows } from './rows.js';

/** A recording is older than any retention period, so nothing may be deleted by age. */
const settings = { RETENTION_DAYS: '3650', LOG_LEVEL: 'debug' };
/** Nothing listens there: the provider of a recorded grant is gone. */
const nowhere = 'http://127.0.0.1:9';

describe.each(releases)('what %s left behind', (release) => {
  const file = (name: string): string => readFileSync(new URL(`${release}/${name}`, releasesDir), 'utf8');
  const recorded = JSON.parse(file('recorded.json')) as Recorded;
  const migrations = JSON.parse(file('migrations.json')) as Migrations;
  const jobs = file('jobs.json');
  let database: TestDatabase;
  let ran: Migrations;
  let system: System;
  let sink: Sink;
  let library: DocumentAdapter;
  let tools: ChangingMcpServer;

  beforeAll(async () => {
    database = await emptyTestDatabase();
    ran = await runMigrations(database.urlOf('owner'), migrations);
    const redis = await takeRedisDatabase();
    [sink, library, tools] = [await openSink(), await openDocumentAdapter(3), await openChangingMcpServer()];
    const given = { database, redis, secrets: recordedSecrets, apiKey: recorded.api_key };
    const before = async (adapters: string): Promise<void> => {
      const places: Places = {
        sink: sink.url,
        adapters,
        library: new URL(library.url).origin,
        tools: new URL(tools.url).origin,
        provider: nowhere,
      };
      await writeRows(database.url, namesToPlaces(file('rows.txt'), places));
      await migrateAll(database.urlOf('owner'), 'ts');
      await writeKeys(redis.url, namesToPlaces(jobs, places));
    };
    system = await startSystem(settings, { given, before });
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([sink?.close(), library?.close(), tools?.close()]);
  });

  it('was created by migrations that still run the same statements', () => {
    expect(ran).toEqual(migrations);
  });

  it('is processed to its end: each message that waited has its reply', async () => {
    for (const id of Object.values(recorded.waiting)) {
      await system.reached(id, 'delivery', 'delivered');
      expect((await system.ended(id)).outcome).toBe('routed');
    }
    // The one that was already delivered only waited for its note.
    const { 'outbound-sent': noted, ...others } = recorded.waiting;
    for (const id of Object.values(others)) expect(sink.repliesTo(id)).toHaveLength(1);
    expect(sink.repliesTo(noted)).toEqual([]);
  });

  it('includes jobs that are understood: each is handled, and none fails', async () => {
    const names = new Set([...jobs.matchAll(/"name": "([a-z.]+)"/g)].map(([, name]) => name));
    expect(names.size).toBe(10);
    for (const name of names) {
      await until(`${name} is handled`, () => system.logs().includes(`"event":"job.handled","job":"${name}"`));
    }
    expect(system.logs()).not.toMatch(/"event":"job\.(failed|unknown)"/);
  });

  it('includes a sync that continues, a server that is listed, and a grant whose refresh is tried', async () => {
    await until('no sync is open', async () => {
      const path = `/api/v1/sources/${recorded.source_id}/runs`;
      const { data } = await system.api<{ data: { state: string }[] }>('GET', path);
      return data.length === 2 && data.every(({ state }) => state === 'succeeded');
    });
    expect(await system.api('GET', `/api/v1/mcp-servers/${recorded.mcp_server_id}`)).toMatchObject({
      health: 'reachable',
    });
    await until('its provider is found to be unavailable', async () => {
      const path = `/api/v1/credentials/${recorded.grant_id}`;
      return (await system.api<{ status: string }>('GET', path)).status !== 'active';
    });
  });

  it('is read by the API: what had ended, ended the same way', async () => {
    for (const [id, outcome] of Object.entries(recorded.ended)) {
      const event = await system.ended(id);
      expect([id, event.outcome]).toEqual([id, outcome]);
      expect(event.timeline[0]).toMatchObject({ stage: 'received' });
    }
    expect(await system.api('GET', `/api/v1/runs/${recorded.run_id}`)).toMatchObject({ state: 'succeeded' });
    const { data } = await system.api<{ data: { state: string }[] }>('GET', '/api/v1/deliveries?state=dead');
    expect(data).toHaveLength(1);
  });

  it('opens: a webhook is checked with the secret that was sealed', async () => {
    const { webhook_path, secret } = recorded.signed;
    const send = (key: string) => {
      const body = JSON.stringify({ task: 'still signed' });
      return post(`${system.origin('portal')}${webhook_path}`, body, { 'x-signature-256': hmac(key, body) });
    };
    const { status, id } = await send(secret);
    expect(status).toBe(200);
    await system.reached(id, 'turn', 'succeeded');
    expect((await send('another secret')).status).toBe(401);
  });

  it('is recognised when it comes again, and new messages are accepted by the same URL', async () => {
    expect(system.webhookPath).toBe(recorded.webhook_path);
    const repeated = await post(system.webhookUrl, { task: 'delivered' }, { 'idempotency-key': 'delivered' });
    expect(repeated.body).toMatchObject({ duplicate: true, id: Object.keys(recorded.ended)[0] });
    const { id } = await post(system.webhookUrl, { task: 'after the upgrade' });
    await until('it gets a reply', () => sink.repliesTo(id).length === 1);
  });
});
