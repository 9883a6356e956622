import { type Principal, ServiceTokens } from '#libs/service-kit';
import {
  freePort,
  takeRedisDatabase,
  testDatabase,
  type TestDatabase,
  testPool,
  testServiceKey,
  until,
} from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { spawnService, type ServiceProcess } from '../system/service-process.js';

const owner = { organizationId: 'org_a', projectId: 'prj_a' };
export const person: Principal = { ...owner, subject: 'key:1', scopes: ['admin'] };
const gateway: Principal = { ...owner, subject: 'service:adapter-gateway', scopes: ['service'] };

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

/** A credential, or why there is none. */
export interface ResolveAnswer {
  fields: Record<string, string>;
  token_version?: number;
  code?: string;
}

/** Vault services as processes of their own, over one database. */
export interface Vaults {
  /** The address of each; the first one is PUBLIC_URL. */
  urls: string[];
  db: pg.Pool;
  logFile: string;
  call<T>(method: string, path: string, body?: object, as?: Principal): Promise<Answer<T>>;
  /** What the gateway requests. */
  resolve(credentialId: string, process?: number, least?: number, refused?: number): Promise<Answer<ResolveAnswer>>;
  /** @param changed settings that differ for this process from then on */
  start(index: number, changed?: Record<string, string>): Promise<void>;
  /** kill -9 */
  kill(index: number): Promise<void>;
  /** The key ring that the vaults were started with. */
  ring: { primary: string; keys: Record<string, string> };
  close(): Promise<void>;
}

export interface VaultOptions {
  count: number;
  publicPort: number;
  gatewayUrl: string;
  redisUrl?: string;
  /** The vaults' database URL, if it is not the direct one. */
  databaseWay?: (url: string) => Promise<string>;
  env?: Record<string, string>;
}

/** Here the gateway requests any credential, since no App exists to be bound. */
const unboundGateway = { 'adapter-gateway': { may: ['resolve', 'resolve_unbound'], consumers: ['app'] } };

export async function startVaults({
  count,
  publicPort,
  gatewayUrl,
  redisUrl,
  databaseWay,
  env,
}: VaultOptions): Promise<Vaults> {
  const database: TestDatabase = await testDatabase();
  // Vaults of another test file would take these jobs and find nothing to do.
  const redis = redisUrl === undefined ? await takeRedisDatabase() : null;
  const ports = [publicPort, ...(await Promise.all(Array.from({ length: count - 1 }, () => freePort())))];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const ring = { primary: 'k1', keys: { k1: randomBytes(32).toString('base64') } };
  const logFile = join(tmpdir(), `gatehouse-vaults-${process.pid}-${publicPort}.log`);
  const processes: (ServiceProcess | undefined)[] = [];
  const settings = {
    PATH: process.env['PATH'] ?? '',
    HOST: '127.0.0.1',
    DATABASE_URL: (await databaseWay?.(database.url)) ?? database.url,
    REDIS_URL: redisUrl ?? redis?.url,
    GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
    GATEHOUSE_KEK_RING: JSON.stringify(ring),
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    GATEWAY_URL: gatewayUrl,
    PUBLIC_URL: urls[0],
    REFRESH_LEASE_MS: '1000',
    REFRESH_TAKEOVER_MS: '10000',
    REFRESH_SWEEP_MS: '60000',
    TOKEN_TIMEOUT_MS: '20000',
    REFRESH_WAIT_MS: '15000',
    SERVICE_POLICY: JSON.stringify(unboundGateway),
    ...env,
  };
  const start = async (index: number, changed: Record<string, string> = {}): Promise<void> => {
    processes[index] = spawnService(
      'dist/apps/credential-vault/src/main.js',
      { ...settings, ...changed, PORT: String(ports[index]), OPERATIONS_PORT: '0' },
      logFile,
    );
    await until(`vault ${index} is ready (${logFile})`, async () => (await fetch(`${urls[index]}/health/ready`)).ok);
  };
  await Promise.all(urls.map((_, index) => start(index))).catch(async (error: unknown) => {
    for (const one of processes) await one?.kill();
    throw error;
  });
  const db = testPool(database.url, { max: 4 });
  // Dropping the database ends its connections, and an idle one reports that.
  db.on('error', () => undefined);
  const ask = async <T>(url: string, method: string, body: object | undefined, as: Principal): Promise<Answer<T>> => {
    const issuer = as.subject.startsWith('service:') ? as.subject.slice('service:'.length) : 'portal';
    const token = await new ServiceTokens(testServiceKey, issuer).mint('credential-vault', as);
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : null };
  };
  return {
    urls,
    db,
    logFile,
    ring,
    call: (method, path, body, as = person) => ask(`${urls[0]}${path}`, method, body, as),
    resolve: (credential_id, index = 0, least = 60, refused) => {
      const body = { credential_id, min_valid_seconds: least, refused_version: refused };
      return ask(`${urls[index]}/internal/credentials/resolve`, 'POST', body, gateway);
    },
    start,
    kill: async (index) => {
      await processes[index]?.kill();
      processes[index] = undefined;
    },
    close: async () => {
      await Promise.all(processes.map((one) => one?.kill()));
      await db.end();
      await database.drop();
      await redis?.release();
    },
  };
}
