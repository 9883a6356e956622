import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../scripts/launcher/ports.mjs';
import { startPostgres } from '../scripts/launcher/postgres.mjs';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { copyOf } from './copy-of.mjs';
import { startRedisCluster } from './redis-cluster.mjs';
import { ensureSecrets } from '../scripts/launcher/secrets.mjs';
import { databasePasswords, redisPasswords, storeAccess } from '../scripts/launcher/store-access.mjs';
import { originOf, serviceEnv } from '../scripts/launcher/service-env.mjs';
import { groupEnv, groupServices } from '../scripts/launcher/service-group.mjs';
import { logFileOf, startService, waitReady } from '../scripts/launcher/service-process.mjs';
import { services } from '../scripts/launcher/services.mjs';
import { bootstrapResult, runStep } from '../scripts/launcher/setup-step.mjs';

/** High enough that no benchmark measures a rate limit. */
const limits = { ENDPOINT_RATE_PER_SECOND: '10000000', ADDRESS_RATE_PER_SECOND: '10000000', LOG_LEVEL: 'warn' };

/**
 * A fresh Gatehouse without a supervisor, so that single services can be stopped and stay stopped. As in `npm start`,
 * Postgres has fsync on and Redis appends to its file.
 * @param {{name: string, env?: NodeJS.ProcessEnv, serviceEnv?: Record<string, NodeJS.ProcessEnv>, without?: string[],
 *   flags?: Record<string, string[]>, replicas?: number, redisNodes?: number, hosted?: string[]}} options name: of its
 *   folder in the cache; serviceEnv: additions for single services; without: services that the benchmark does not need;
 *   flags: of Node, for single processes; replicas: processes of each service; redisNodes: more than one makes a Redis
 *   Cluster; hosted: services that share one process
 */
export async function startGatehouse({
  name,
  env = {},
  serviceEnv: more = {},
  without = [],
  flags = {},
  replicas = 1,
  redisNodes = 1,
  hosted = [],
}) {
  const dataDir = join(cacheDir, 'bench', name);
  await rm(dataDir, { recursive: true, force: true });
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), log: logFileOf(dataDir, 'postgres') });
  const secrets = ensureSecrets(dataDir);
  const oneRedis = {
    dir: join(dataDir, 'redis'),
    log: logFileOf(dataDir, 'redis'),
    passwordOf: redisPasswords(secrets),
  };
  const cluster = redisNodes > 1 ? await startRedisCluster({ ...oneRedis, nodes: redisNodes }) : null;
  const redis = cluster ?? (await startRedis(oneRedis));
  /** @type {Record<string, number>} */
  const ports = {};
  for (const service of services) {
    for (let replica = 1; replica <= replicas; replica += 1) ports[copyOf(service.name, replica)] = await freePort();
  }
  const envOf = serviceEnv({
    services,
    ports,
    stores: storeAccess({ databaseUrl: postgres.url, redisUrl: redis.url, secrets, roles: true, users: true }),
    secrets,
    env: { ...process.env, ...limits, GATEHOUSE_EGRESS_ALLOW: '127.0.0.0/8', ...env },
  });
  const never = new AbortController().signal;
  /** @type {Map<string, import('../scripts/launcher/child.mjs').Running>} */
  const running = new Map();
  const groups = groupServices(services, hosted);
  const processOf = (/** @type {string} */ service) =>
    groups.find((group) => group.services.some(({ name: one }) => one === service))?.name ?? service;

  /** @param {string[]} names of services */
  const start = (names) =>
    Promise.all(
      groups
        .filter((group) => names.some((each) => processOf(each) === group.name))
        .flatMap((group) => Array.from({ length: replicas }, (_, index) => startCopy(group, index + 1))),
    );
  /** @param {import('../scripts/launcher/service-group.mjs').Group} group @param {number} replica */
  async function startCopy(group, replica) {
    const copy = copyOf(group.name, replica);
    const portOf = (/** @type {string} */ service) => ports[copyOf(service, replica)] ?? 0;
    const own = groupEnv(group, (each) => ({ ...envOf(each), ...more[each], PORT: String(portOf(each)) }));
    running.set(copy, startService({ dataDir, service: { ...group, name: copy }, env: own, flags: flags[group.name] }));
    const logFile = logFileOf(dataDir, copy);
    await Promise.all(
      group.services.map(({ name: each }) =>
        waitReady({ name: copyOf(each, replica), origin: originOf(portOf(each)), logFile, signal: never }),
      ),
    );
  }
  /** @param {string[]} names of processes */
  const stop = async (names) => {
    await Promise.all(names.map((each) => running.get(each)?.stop()));
    for (const each of names) running.delete(each);
  };
  const close = async () => {
    await stop([...running.keys()]);
    await redis.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  /** @param {string[]} args */
  const setUp = async (...args) =>
    bootstrapResult(await runStep('dist/apps/portal/src/bootstrap/main.js', envOf('portal'), never, args));
  /** @type {ReturnType<typeof bootstrapResult>} */
  let made;
  try {
    const admin = { DATABASE_ADMIN_URL: postgres.url, GATEHOUSE_DATABASE_PASSWORDS: databasePasswords(secrets) };
    await runStep('dist/libs/database/src/prepare-roles.js', { ...process.env, ...admin }, never);
    await runStep('dist/libs/database/src/migrate-all.js', envOf('migrations'), never);
    await start(services.map((service) => service.name).filter((service) => !without.includes(service)));
    made = await setUp();
  } catch (error) {
    await close();
    throw error;
  }

  /**
   * Calls the management API.
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {string} [projectId] other than the installation's first
   * @returns {Promise<any>}
   */
  async function api(method, path, body, projectId) {
    const answer = await fetch(`${originOf(ports['portal'] ?? 0)}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${made.api_key}`,
        ...(projectId ? { 'x-project-id': projectId } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text ? JSON.parse(text) : null;
  }

  return {
    dataDir,
    api,
    /** Of the management API. */
    apiKey: made.api_key,
    /** A new link that signs the owner in once. */
    ownerLink: async () => (await setUp('--owner-link')).owner_link ?? '',
    start,
    stop,
    urlOf: (/** @type {string} */ service) => originOf(ports[service] ?? 0),
    pidOf: (/** @type {string} */ service) => running.get(processOf(service))?.pid ?? 0,
    postgres,
    redis,
    close,
  };
}

/**
 * A built-in App that checks `X-Signature-256` and replies to `replyAddress`.
 * @param {Pick<Awaited<ReturnType<typeof startGatehouse>>, 'api' | 'urlOf'>} gatehouse
 * @param {{secret: string, replyAddress: string | null, name?: string}} options name: of the App and its credential
 * @returns {Promise<{appId: string, url: string}>} url: at the ingress itself, without the proxy before it
 */
export async function signedApp({ api, urlOf }, { secret, replyAddress, name = 'Bench' }) {
  const credential = await api('POST', '/credentials', {
    name,
    type: 'text',
    fields: { signing_secret: secret },
  });
  const app = await api('POST', '/apps', {
    name,
    kind: 'builtin',
    credential_id: credential.id,
    signature: { scheme: 'hmac' },
  });
  if (replyAddress) await api('PUT', `/channels/${app.id}`, { reply_address: replyAddress });
  return { appId: app.id, url: `${urlOf('webhook-ingress')}${app.webhook_path}` };
}
