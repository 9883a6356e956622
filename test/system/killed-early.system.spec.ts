import { newId, turnRun } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import {
  freePort,
  takeRedisDatabase,
  type RedisDatabase,
  testDatabase,
  type TestDatabase,
  testPool,
  until,
} from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { fakeModel, type FakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { spawnEngine } from './engine-process.js';
import { type ServiceProcess } from './service-process.js';
import { turnOf } from './turn-of.js';

const owner = { organizationId: newId('org'), projectId: newId('prj'), agentId: newId('agt') };
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-killed-early-'));
/** The lease is 30 s, and a sweep takes what it left after 15 s more. */
const soonMs = 15_000;
let engine: ServiceProcess | undefined;
let database: TestDatabase;
let redis: RedisDatabase;
let pool: pg.Pool;
let jobs: JobClient;
let model: FakeModel;

beforeAll(async () => {
  [database, redis, model] = await Promise.all([testDatabase(), takeRedisDatabase(), fakeModel()]);
  pool = testPool(database.url);
  jobs = new JobClient(redis.url);
  await pool.query(
    `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, tools, is_chief_of_staff)
     VALUES ($1, $2, $3, 'Host', 'Answer.', '{}', false)`,
    [owner.agentId, owner.organizationId, owner.projectId],
  );
});
afterAll(async () => {
  await engine?.kill();
  await jobs.close();
  await pool.end();
  await Promise.all([model.close(), database.drop(), redis.release()]);
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  engine = spawnEngine({
    port: await freePort(),
    databaseUrl: database.url,
    redisUrl: redis.url,
    modelUrl: model.url,
    logFile: join(dataDir, 'engine.log'),
  });
}

it('turns of an engine killed as soon as it takes them are free at once, long before their leases end', async () => {
  const turns = [0, 1, 2].map((number) => turnOf(owner, number));
  for (const turn of turns) await jobs.enqueue(turnRun, turn);
  model.always(() => undefined);
  await start();
  await until('it has begun', () => model.requests.length > 0);
  await engine?.kill();
  const { rows: begun } = await pool.query<{ id: string }>(`SELECT id FROM engine.turn WHERE state = 'running'`);
  expect(begun.length).toBeGreaterThan(0);
  model.always('Done.');
  await start();
  const ended = async () => {
    const { rows } = await pool.query(`SELECT id FROM engine.turn WHERE id = ANY($1) AND state = 'succeeded'`, [
      begun.map(({ id }) => id),
    ]);
    return rows.length === begun.length;
  };
  await until('its turns have ended', ended, soonMs);
});
