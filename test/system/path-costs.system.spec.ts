import { migrateAll, ownerRole, prepareRoles, roleOf } from '#libs/database';
import { type TestDatabase, testPasswords, until } from '#libs/testing';
import { Redis } from 'ioredis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { hostable, startSystem, type System } from './system.js';
import { openSink, type Sink } from './sink.js';
import { path } from '../../apps/host/src/hosted-services.js';
import { startPostgres } from '../../scripts/launcher/postgres.mjs';
import { post } from './webhook.js';

const queues = ['inbound', 'route', 'turns', 'outbound'];
const messages = 40;
/** Sweeps and signs of life write too: an idle time of this length says how much. */
const idleMs = 5_000;

describe.each<[string, string[], number]>([
  ['processes of their own', [], 3],
  ['one process for the path', path, 0],
  ['one process for all', hostable, 0],
])('a message of the built-in App through services in %s', (_title, hosted, jobsEach) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-path-costs-'));
  let system: System;
  let sink: Sink;
  let redis: Redis;
  /** Of its own: numbers of transactions are those of a whole server. */
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let database: pg.Client;
  let workflow: { id: number };

  beforeAll(async () => {
    sink = await openSink();
    postgres = await startPostgres({ dataDir, durable: false, detached: false });
    system = await startSystem({}, { hosted, linked: false, given: { database: await migrated(postgres.url) } });
    redis = new Redis(system.redisUrl);
    database = new pg.Client({ connectionString: system.databaseUrl });
    await database.connect();
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: sink.url });
    workflow = await system.api('POST', '/api/v1/workflows', { name: 'Costs', instructions: 'reply: got it' });
  });
  afterAll(async () => {
    redis?.disconnect();
    await database?.end();
    await system?.stop();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
    await sink?.close();
  });

  async function handled(fields: object): Promise<void> {
    const { id } = await post(system.webhookUrl, { task: 'count', ...fields });
    await until('its reply arrives', () => sink.repliesTo(id)[0]);
    await system.reached(id, 'delivery', 'delivered');
  }

  /** What was committed and enqueued so far. Only a transaction that writes gets a number. */
  async function counted(): Promise<{ commits: number; jobs: number; atMs: number }> {
    const { rows } = await database.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
    const made = await Promise.all(queues.map((queue) => redis.get(`{gatehouse:q:${queue}}:${queue}:id`)));
    const jobs = made.reduce((sum, count) => sum + Number(count ?? 0), 0);
    return { commits: Number(rows[0]?.id), jobs, atMs: performance.now() };
  }

  it.each([
    ['a workflow', 'workflow'],
    ['a conversation', 'conversation'],
  ])(`makes ${jobsEach} jobs and at most five commits for %s`, async (_what, of) => {
    const fields = of === 'workflow' ? { workflow_id: workflow.id } : { thread_id: 'costs' };
    for (let count = 0; count < 10; count += 1) await handled(fields);
    const idle = await counted();
    await pause(idleMs);
    const before = await counted();
    for (let count = 0; count < messages; count += 1) await handled(fields);
    const after = await counted();
    await pause(idleMs);
    const later = await counted();
    // Each count took a number itself.
    const idleCommits = before.commits - idle.commits + later.commits - after.commits - 2;
    const idlePerMs = idleCommits / (before.atMs - idle.atMs + later.atMs - after.atMs);
    const commits = after.commits - before.commits - 1 - idlePerMs * (after.atMs - before.atMs);
    expect((after.jobs - before.jobs) / messages).toBe(jobsEach);
    expect(commits / messages).toBeGreaterThan(3.3);
    // What sweeps do meanwhile is not exactly what they do in an idle time.
    expect(commits / messages).toBeLessThan(5.7);
  });
});

/** The one database of a server. */
async function migrated(url: string): Promise<TestDatabase> {
  const urlOf = (service: string): string => {
    const own = new URL(url);
    own.username = service === 'owner' ? ownerRole : roleOf(service);
    own.password = testPasswords[service] ?? '';
    return own.href;
  };
  await prepareRoles(url, testPasswords, 'ts');
  await migrateAll(urlOf('owner'), 'ts');
  return { url, urlOf, drop: () => Promise.resolve() };
}
