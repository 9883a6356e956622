import {
  type BreakableLink,
  freePort,
  openLink,
  type RedisDatabase,
  takeRedisDatabase,
  type TestDatabase,
  testDatabase,
  until,
} from '#libs/testing';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSecrets, type Secrets } from '../../scripts/launcher/secrets.mjs';
import { originOf, serviceEnv } from '../../scripts/launcher/service-env.mjs';
import { logFileOf, waitReady } from '../../scripts/launcher/service-process.mjs';
import { type Group, groupEnv, groupServices, hostedServices } from '../../scripts/launcher/service-group.mjs';
import { services } from '../../scripts/launcher/services.mjs';
import { bootstrapResult, runStep } from '../../scripts/launcher/setup-step.mjs';
import { type Api, openApi } from './api.js';
import { type ServiceProcess, spawnService } from './service-process.js';
import { makeRedisUsers, oneUser } from './store-users.js';

/** Every service, as processes with stores of their own. */
export interface System extends Api {
  /** Holds its secrets and logs, as under `npm start`. */
  dataDir: string;
  /** The built-in App's webhook, through the portal. */
  webhookUrl: string;
  /** Its path, which is the same at the ingress itself. */
  webhookPath: string;
  appId: string;
  databaseUrl: string;
  redisUrl: string;
  /** Commands that Redis refused to the services of a system. */
  refusedByRedis(): Promise<string[]>;
  apiKey: string;
  /** A new link that signs the owner in once. */
  ownerLink(): Promise<string>;
  /** Everything that the services have logged. */
  logs(): string;
  /** The ingress's links to its stores, used by no other service. */
  ingressLinks: { database: BreakableLink; redis: BreakableLink };
  origin(service: string): string;
  /** kill -9 */
  kill(service: string): Promise<void>;
  /** SIGSTOP. @returns what resumes it */
  freeze(service: string): () => void;
  /** SIGTERM. @returns how the process ended: its exit code, or the signal */
  drain(service: string): Promise<number | NodeJS.Signals | null>;
  /**
   * Starts a service that was killed, and waits until it is ready.
   * @param settings of its environment from now on, in addition
   */
  restart(service: string, settings?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

export interface Setup {
  /** Names of services that share one process; all others have their own. */
  hosted?: string[];
  /** False: the ingress reaches its stores as the others do, and `ingressLinks` cut nothing. */
  linked?: boolean;
  /** Changes a service's Postgres URL into one through a pooler. */
  pooled?: (databaseUrl: string) => string;
  /** What an earlier system left behind. */
  given?: Given;
  /** Runs before any service starts, with the address of the shipped adapters. */
  before?: (adapters: string) => Promise<void>;
}

/** What a system starts with, instead of new and empty stores. The system owns these stores from then on. */
interface Given {
  database?: TestDatabase;
  redis?: RedisDatabase;
  secrets?: Partial<Secrets>;
  /** Given if the installation already has one: only its first start makes one. */
  apiKey?: string;
}

/** Nine processes start at once, and other tests may run beside them. */
const startMs = 180_000;
/** These have no store. */
const storeless = ['adapters', 'python-runner'];
const bootstrap = 'dist/apps/portal/src/bootstrap/main.js';

/** Services that may share a process, as with `npm start -- --small`. */
export const hostable = hostedServices(services, {}, ['--small']);

/**
 * For tests that are not about processes: the smallest system, which starts in half the time.
 * @param settings environment variables for every service
 */
export const startSmallSystem = (settings: Record<string, string> = {}): Promise<System> =>
  startSystem(settings, { hosted: hostable });

/** @param settings environment variables for every service */
export async function startSystem(
  settings: Record<string, string> = {},
  { hosted = [], linked = true, pooled = (url) => url, given = {}, before = async () => undefined }: Setup = {},
): Promise<System> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-system-'));
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(dataDir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
  };
  const keep = <T>(made: T, end: (made: T) => Promise<unknown>): T => {
    ends.unshift(() => end(made));
    return made;
  };
  try {
    const database = keep(given.database ?? (await testDatabase()), (made) => made.drop());
    const redis = keep(given.redis ?? (await takeRedisDatabase()), (made) => made.release());
    // As in an installation: a role and a user for each service.
    const users = redis.url.startsWith('redis:') ? await makeRedisUsers(redis.url) : oneUser(redis.url);
    const ingress = 'webhook-ingress';
    const ingressLinks = {
      database: keep(await openLink(pooled(database.urlOf(ingress))), (link) => link.close()),
      redis: keep(await openLink(users.urlOf(ingress)), (link) => link.close()),
    };
    const ports = Object.fromEntries(
      await Promise.all(services.map(async ({ name }) => [name, await freePort()] as const)),
    );
    const origin = (name: string): string => originOf(ports[name] ?? 0);
    const plainEnv = serviceEnv({
      services,
      ports,
      stores: (name) =>
        storeless.includes(name) ? null : { databaseUrl: pooled(database.urlOf(name)), redisUrl: users.urlOf(name) },
      secrets: { ...ensureSecrets(dataDir), ...given.secrets },
      env: {
        ...process.env,
        NODE_ENV: 'development',
        GATEHOUSE_EGRESS_ALLOW: '127.0.0.0/8',
        PYTHON_CHILDREN: '1',
        ...settings,
      },
    });
    const changed = new Map<string, Record<string, string>>();
    const envOf = (name: string): NodeJS.ProcessEnv => ({
      ...plainEnv(name),
      ...changed.get(name),
      ...(name === ingress && linked
        ? { DATABASE_URL: ingressLinks.database.url, REDIS_URL: ingressLinks.redis.url }
        : {}),
    });
    const groups = groupServices(services, hosted);
    const running = new Map<string, ServiceProcess>();
    const start = async (group: Group): Promise<void> => {
      const logFile = logFileOf(dataDir, group.name);
      running.set(group.name, spawnService(group.entry, groupEnv(group, envOf), logFile));
      const signal = AbortSignal.timeout(startMs);
      await Promise.all(group.services.map(({ name }) => waitReady({ name, origin: origin(name), logFile, signal })));
    };
    const groupOf = (service: string): Group => {
      const group = groups.find((each) => each.services.some(({ name }) => name === service));
      if (!group) throw new Error(`There is no service ${service}.`);
      return group;
    };
    ends.unshift(() => Promise.all([...running.values()].map((service) => service.stop())));
    await before(origin('adapters'));
    await Promise.all(groups.map(start));
    const setUp = async (...args: string[]) =>
      bootstrapResult(await runStep(bootstrap, envOf('portal'), AbortSignal.timeout(startMs), args));
    const made = await setUp();
    const apiKey = made.api_key ?? given.apiKey ?? '';
    const webhookUrl = `${origin('portal')}${made.webhook_url_path}`;
    await until('the ingress knows the webhook', async () => (await fetch(webhookUrl)).status === 405);
    const logs = () => groups.map(({ name }) => readFileSync(logFileOf(dataDir, name), 'utf8')).join('\n');
    return {
      ...openApi(origin('portal'), apiKey, logs),
      dataDir,
      webhookUrl,
      webhookPath: made.webhook_url_path,
      appId: made.app_id,
      databaseUrl: database.url,
      redisUrl: redis.url,
      refusedByRedis: users.refused,
      apiKey,
      ownerLink: async () => (await setUp('--owner-link')).owner_link ?? '',
      logs,
      ingressLinks,
      origin,
      kill: async (name) => running.get(groupOf(name).name)?.kill(),
      freeze: (name) => running.get(groupOf(name).name)?.freeze() ?? (() => undefined),
      drain: async (name) => (await running.get(groupOf(name).name)?.stop()) ?? null,
      restart: (name, more) => {
        if (more) changed.set(name, more);
        return start(groupOf(name));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
