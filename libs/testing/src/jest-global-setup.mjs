import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerAnswers } from '../../../scripts/launcher/compose.mjs';
import { startPostgres } from '../../../scripts/launcher/postgres.mjs';
import { startRedis } from '../../../scripts/launcher/redis.mjs';
import { keepForTeardown } from './jest-global-teardown.mjs';

/**
 * @typedef {object} Stores
 * @property {string} databaseUrl
 * @property {string} redisUrl
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Stores>} */
async function inContainers() {
  const { GenericContainer, Wait } = await import('testcontainers');
  const postgres = await new GenericContainer('postgres:18-alpine')
    .withEnvironment({ POSTGRES_USER: 'gatehouse', POSTGRES_PASSWORD: 'gatehouse', POSTGRES_DB: 'gatehouse' })
    .withCommand(['postgres', '-c', 'max_connections=300', '-c', 'fsync=off', '-c', 'synchronous_commit=off'])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  try {
    const redis = await new GenericContainer('redis:8-alpine')
      .withCommand(['redis-server', '--save', '', '--maxmemory-policy', 'noeviction'])
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .start();
    return {
      databaseUrl: `postgresql://gatehouse:gatehouse@${postgres.getHost()}:${postgres.getMappedPort(5432)}/gatehouse`,
      redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
      stop: async () => void (await Promise.all([postgres.stop(), redis.stop()])),
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** Private servers over a folder that is deleted afterwards: nothing there has to survive, so nothing is synced to disk. @returns {Promise<Stores>} */
async function inProcesses() {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  /** @type {Array<{pid: number, url: string, stop: () => Promise<void>}>} */
  const servers = [];
  // Not detached, and killed at exit: an interrupted run never reaches its teardown.
  const abandon = () => {
    for (const { pid } of servers) process.kill(pid, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), durable: false, detached: false });
  servers.push(postgres);
  const redis = await startRedis({ dir: join(dir, 'redis'), durable: false, detached: false });
  servers.push(redis);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    stop: async () => {
      process.off('exit', abandon);
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** One Postgres and one Redis for the whole run, unless the environment names both or says that none is needed. */
export default async function setup() {
  if (process.env.GATEHOUSE_TEST_STORES === 'none') return;
  if (process.env.GATEHOUSE_TEST_DATABASE_URL && process.env.GATEHOUSE_TEST_REDIS_URL) return;
  let stores;
  if (dockerAnswers()) {
    try {
      stores = await inContainers();
    } catch (error) {
      console.warn(`No test containers (${error instanceof Error ? error.message : error}): using private servers`);
    }
  }
  stores ??= await inProcesses();
  process.env.GATEHOUSE_TEST_DATABASE_URL = stores.databaseUrl;
  process.env.GATEHOUSE_TEST_REDIS_URL = stores.redisUrl;
  keepForTeardown(stores.stop);
}
