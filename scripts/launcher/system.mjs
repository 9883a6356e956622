import { join } from 'node:path';
import { databaseState } from './database-state.mjs';
import { banner, readDescription, writeDescription } from './description.mjs';
import { endLeftovers, recordChildren } from './leftovers.mjs';
import { takeLock } from './lock.mjs';
import { sharedBuffersMb } from './memory.mjs';
import { choosePorts } from './ports.mjs';
import { resolvePostgres, startPostgres } from './postgres.mjs';
import { resolveRedis, startRedis } from './redis.mjs';
import { say } from './say.mjs';
import { ensureSecrets } from './secrets.mjs';
import { originOf, serviceEnv } from './service-env.mjs';
import { logFileOf, startService, waitReady } from './service-process.mjs';
import { groupEnv, groupServices } from './service-group.mjs';
import { operationsOf } from './services.mjs';
import { bootstrapResult, runStep } from './setup-step.mjs';
import { databasePasswords, redisPasswords, storeAccess } from './store-access.mjs';
import { Supervisor } from './supervisor.mjs';

const ROLES = 'dist/libs/database/src/prepare-roles.js';
const MIGRATE = 'dist/libs/database/src/migrate-all.js';
const BOOTSTRAP = 'dist/apps/portal/src/bootstrap/main.js';

/**
 * Puts a store under supervision. A private server is restarted with the same port and data; a foreign one is left
 * alone.
 * @param {Supervisor} supervisor
 * @param {'postgres' | 'redis'} name
 * @template {{url: string, source: string, pid: number | null, exited: Promise<string> | null, stop: () =>
 *   Promise<void>}} T
 * @param {() => Promise<T>} resolveStore
 * @param {() => Promise<import('./child.mjs').Running>} restart
 * @returns {Promise<T>}
 */
async function keepStore(supervisor, name, resolveStore, restart) {
  const store = await resolveStore();
  say(`${name} is ready (${store.source})`);
  const { pid, exited } = store;
  if (!pid || !exited) return store;
  let first = true;
  await supervisor.keep(name, async () => {
    if (!first) return restart();
    first = false;
    return { pid, exited, stop: store.stop };
  });
  return { ...store, stop: () => supervisor.stop([name]) };
}

/**
 * What `npm run dev` needs of a running system.
 * @typedef {object} RunningSystem
 * @property {string} dataDir
 * @property {Supervisor} supervisor
 * @property {import('./service-group.mjs').Group[]} groups its processes
 * @property {import('./description.mjs').Description} description
 * @property {() => Promise<void>} migrate
 * @property {AbortSignal} signal aborted when the system stops
 */

/**
 * Runs the whole system until it is stopped (SIGINT, SIGTERM, SIGHUP), then lets it drain.
 * @param {object} options
 * @param {string} options.dataDir absolute
 * @param {NodeJS.ProcessEnv} options.env
 * @param {import('./services.mjs').Service[]} options.services
 * @param {string[]} [options.hosted] names of those that share one process
 * @param {(process: string) => string[]} [options.flagsOf] Node's flags for a process
 * @param {(process: string) => void} [options.onEnd] called when a process exits unasked
 * @param {(system: RunningSystem) => Promise<() => Promise<void>>} [options.onRunning] returns what to call when the
 *   system stops
 */
export async function runSystem({ dataDir, env, services, hosted = [], flagsOf = () => [], onEnd, onRunning }) {
  const groups = groupServices(services, hosted);
  takeLock(dataDir);
  const started = Date.now();
  const stopping = new AbortController();
  const stopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
  // A terminal and npm may both deliver the same Ctrl-C, so a second one changes nothing. Each wait below is bounded.
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => stopping.abort());
  await endLeftovers(dataDir);
  const ports = await choosePorts(join(dataDir, 'ports.json'), [
    ...services.flatMap(({ name, portVariable, operationsPortVariable }) =>
      [
        [name, portVariable],
        [operationsOf(name), operationsPortVariable],
      ].map(([of = '', setting = '']) => ({
        name: of,
        asked: Number(env[setting]) || undefined,
        setting,
      })),
    ),
    { name: 'postgres' },
    { name: 'redis' },
  ]);
  /** @type {import('./description.mjs').Description | null} */
  let description = null;
  const children = recordChildren(dataDir);
  const supervisor = new Supervisor({
    say,
    onEnd,
    onChange(name, pid) {
      // The stores clean up their own leftover servers.
      if (name !== 'postgres' && name !== 'redis') children.add(name, pid);
      if (description) writeDescription(dataDir, (description = withPids(description)));
    },
  });
  const processOf = (/** @type {string} */ service) =>
    groups.find((group) => group.services.some(({ name }) => name === service))?.name ?? '';
  /** @param {import('./description.mjs').Description} at @returns {import('./description.mjs').Description} */
  const withPids = (at) => ({
    ...at,
    services: at.services.map((service) => ({ ...service, pid: supervisor.pidOf(processOf(service.name)) })),
    postgres: { ...at.postgres, pid: supervisor.pidOf('postgres') },
    redis: { ...at.redis, pid: supervisor.pidOf('redis') },
  });
  /** @type {Array<() => Promise<void>>} */
  const undo = [];
  try {
    const pg = {
      dataDir: join(dataDir, 'postgres'),
      server: { port: ports.postgres, log: logFileOf(dataDir, 'postgres'), buffersMb: sharedBuffersMb(env) },
    };
    const secrets = ensureSecrets(dataDir);
    const rd = {
      dir: join(dataDir, 'redis'),
      server: { port: ports.redis, log: logFileOf(dataDir, 'redis'), passwordOf: redisPasswords(secrets) },
    };
    const postgres = await keepStore(
      supervisor,
      'postgres',
      () => resolvePostgres({ ...pg, env, installation: dataDir }),
      () => startPostgres({ dataDir: pg.dataDir, ...pg.server }),
    );
    undo.unshift(postgres.stop);
    stopping.signal.throwIfAborted();
    const redis = await keepStore(
      supervisor,
      'redis',
      () => resolveRedis({ ...rd, env, installation: dataDir }),
      () => startRedis({ dir: rd.dir, ...rd.server }),
    );
    undo.unshift(redis.stop);
    stopping.signal.throwIfAborted();
    const { url: databaseUrl, pooledUrl, roles } = postgres;
    const stores = storeAccess({
      databaseUrl,
      ...(pooledUrl && { pooledUrl }),
      redisUrl: redis.url,
      secrets,
      roles,
      users: redis.users,
    });
    // Set and empty: no spool.
    const spooled = { SPOOL_DIR: join(dataDir, 'spool'), ...env };
    const envOf = serviceEnv({ services, ports, stores, secrets, env: spooled });

    const shared = [roles ? '' : 'the role of DATABASE_URL', redis.users ? '' : 'the user of REDIS_URL'].filter(
      Boolean,
    );
    if (shared.length > 0) say(`Warning: all services share ${shared.join(' and ')}: see docs/security.md`);
    const passwords = databasePasswords(secrets);
    const prepared = databaseState({ dataDir, url: postgres.url, isOurs: postgres.pid !== null, passwords });
    const migrate = async () => {
      await runStep(MIGRATE, envOf('migrations'), stopping.signal);
      await prepared.remember();
    };
    if (!(await prepared.holds())) {
      say('Migrating the database …');
      if (roles) {
        const admin = { DATABASE_ADMIN_URL: postgres.url, GATEHOUSE_DATABASE_PASSWORDS: passwords };
        await runStep(ROLES, { ...env, ...admin }, stopping.signal);
      }
      await migrate();
    }
    undo.unshift(async () => {
      say('Stopping: services finish what is in flight (20 s at most) …');
      await supervisor.stop(groups.map(({ name }) => name));
      children.clear();
    });
    say(`Starting ${services.length} services in ${groups.length} processes …`);
    const starts = new Map(
      groups.flatMap((group) => {
        const { name } = group;
        const logFile = logFileOf(dataDir, name);
        const launched = supervisor.keep(name, async () =>
          startService({ dataDir, service: group, env: groupEnv(group, envOf), flags: flagsOf(name) }),
        );
        return group.services.map((service) => {
          const origin = originOf(ports[service.name] ?? 0);
          const start = launched.then(() =>
            waitReady({ name: service.name, origin, logFile, signal: stopping.signal }),
          );
          return [service, start];
        });
      }),
    );
    /** @type {string[]} */
    const starting = [];
    for (const [{ name, essential }, start] of starts) {
      if (essential) continue;
      starting.push(name);
      start.then(
        () => {
          starting.splice(starting.indexOf(name), 1);
          if (description) say(`${name} is ready now, after ${((Date.now() - started) / 1000).toFixed(1)} s`);
        },
        // It was stopped meanwhile, or it could not be launched, which its supervisor has reported.
        () => undefined,
      );
    }
    await Promise.all([...starts].flatMap(([{ essential }, start]) => (essential ? [start] : [])));
    const made = bootstrapResult(await runStep(BOOTSTRAP, envOf('portal'), stopping.signal, ['--owner-link']));
    const base_url = (env.PUBLIC_URL ?? originOf(ports.portal ?? 0)).replace(/\/$/, '');
    const last = readDescription(dataDir);
    description = withPids({
      base_url,
      webhook_url: made.webhook_url_path && `${base_url}${made.webhook_url_path}`,
      // The database shows the key once. Only this file still has it.
      api_key: made.api_key ?? (last.project_id === made.project_id ? (last.api_key ?? null) : null),
      owner_link: made.owner_link,
      organization_id: made.organization_id,
      project_id: made.project_id,
      app_id: made.app_id,
      services: services.map(({ name }) => ({
        name,
        pid: null,
        port: ports[name] ?? 0,
        operations_port: ports[operationsOf(name)] ?? 0,
      })),
      postgres: { url: postgres.url, pid: null },
      redis: { url: redis.url, pid: null },
    });
    writeDescription(dataDir, description);
    const rest = starting.length > 0 ? `, except ${starting.join(' and ')}, still starting` : '';
    say(`Everything runs${rest}, after ${((Date.now() - started) / 1000).toFixed(1)} s`);
    process.stdout.write(`${banner(dataDir, description)}\n`);
    const end = await onRunning?.({ dataDir, supervisor, groups, description, migrate, signal: stopping.signal });
    if (end) undo.unshift(end);
    await stopped;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    description = null;
    for (const step of undo) await step();
    say('Stopped');
  }
}
