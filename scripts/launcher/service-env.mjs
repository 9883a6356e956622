import { join } from 'node:path';
import { memoryEnv } from './memory.mjs';
import { cacheDir } from './project.mjs';
import { kekRing } from './secrets.mjs';
import { serviceKeys, thumbprint } from './service-keys.mjs';
import { operationsOf } from './services.mjs';

const HOST = '127.0.0.1';

/** Only the services named here see these secrets, whatever the launcher's own environment holds. */
const HOLDERS = {
  GATEHOUSE_KEK_RING: ['credential-vault'],
  GATEHOUSE_ADAPTER_SECRET: ['adapters', 'adapter-gateway'],
  GATEHOUSE_WEBHOOK_KEY: ['adapter-gateway'],
  MODEL_API_KEY: ['engine'],
};

/** Services that run foreign code see only these settings. */
const ONLY = {
  'python-runner':
    /^(PATH|NODE_OPTIONS|MALLOC_ARENA_MAX|NODE_COMPILE_CACHE|PORT|OPERATIONS_PORT|HOST|NODE_ENV|LOG_LEVEL|ENGINE_URL|GATEHOUSE_SERVICE_ISSUERS|SERVICE_TOKEN_\w+|PYTHON_\w+)$/,
};

/** @param {number} port */
export const originOf = (port) => `http://${HOST}:${port}`;

/**
 * The environment of each service. The launcher's own environment (NODE_ENV, PUBLIC_URL, a key) overrides generated
 * values.
 * @param {object} from
 * @param {import('./services.mjs').Service[]} from.services
 * @param {Record<string, number>} from.ports by service name
 * @param {import('./store-access.mjs').StoreAccess} from.stores
 * @param {import('./secrets.mjs').Secrets} from.secrets
 * @param {NodeJS.ProcessEnv} from.env
 * @returns {(name: string) => NodeJS.ProcessEnv}
 */
export function serviceEnv({ services, ports, stores, secrets, env }) {
  // All services share a supplied key, unless issuers were supplied too.
  const keys = env.GATEHOUSE_SERVICE_KEY
    ? null
    : serviceKeys(
        secrets.service_key,
        services.map(({ name }) => name),
      );
  const everyone = {
    GATEHOUSE_KEK_RING: kekRing(secrets),
    GATEHOUSE_ADAPTER_SECRET: secrets.adapter_secret,
    GATEHOUSE_WEBHOOK_KEY: secrets.webhook_key,
    PUBLIC_URL: originOf(ports.portal ?? 0),
    NODE_ENV: 'production',
    ...memoryEnv(env),
    NODE_COMPILE_CACHE: join(cacheDir, 'compiled'),
    ...env,
    HOST,
    // The shipped adapters are always reachable, whatever else is allowed.
    GATEHOUSE_EGRESS_ALLOW: [`${HOST}:${ports.adapters ?? 0}`, env.GATEHOUSE_EGRESS_ALLOW].filter(Boolean).join(','),
    ...Object.fromEntries(services.map(({ name, urlVariable }) => [urlVariable, originOf(ports[name] ?? 0)])),
  };
  return (name) => {
    /** @type {NodeJS.ProcessEnv} */
    const own = {
      ...everyone,
      ...(keys ? { GATEHOUSE_SERVICE_KEY: keys.keyOf(name), GATEHOUSE_SERVICE_ISSUERS: keys.issuers } : {}),
      PORT: String(ports[name]),
      OPERATIONS_PORT: String(ports[operationsOf(name)] ?? 0),
    };
    const at = stores(name);
    own.DATABASE_URL = at?.databaseUrl;
    own.DATABASE_DIRECT_URL = at?.directUrl;
    own.REDIS_URL = at?.redisUrl;
    // It calls no service, and the gateway signs its requests.
    if (name === 'adapters') delete own.GATEHOUSE_SERVICE_KEY;
    // The runner makes no tokens and checks them by public keys. With one shared key, that is its public half.
    own.GATEHOUSE_SERVICE_ISSUERS ??=
      name === 'python-runner' ? oneIssuer(own.GATEHOUSE_SERVICE_KEY, services) : undefined;
    // In production the vault rejects a generated key. So it only runs as production when that was asked for
    // explicitly.
    if (name === 'credential-vault') own.NODE_ENV = env.NODE_ENV ?? 'development';
    for (const [secret, holders] of Object.entries(HOLDERS)) if (!holders.includes(name)) delete own[secret];
    const only = Object.entries(ONLY).find(([service]) => service === name)?.[1];
    for (const variable of Object.keys(own)) if (only && !only.test(variable)) delete own[variable];
    // npm's settings are not for services, and may hold registry credentials.
    for (const variable of Object.keys(own)) if (/^npm_/i.test(variable)) delete own[variable];
    return own;
  };
}

/**
 * The public half of a key that all services share, as the key of each. An invalid key is reported by its readers.
 * @param {string | undefined} privateJwk
 * @param {{name: string}[]} services
 */
function oneIssuer(privateJwk, services) {
  try {
    const { kty, crv, x, kid } = JSON.parse(privateJwk ?? '');
    const keys = [{ kty, crv, x, kid: kid ?? thumbprint({ kty, crv, x }) }];
    return JSON.stringify(Object.fromEntries(services.map(({ name }) => [name, { keys }])));
  } catch {
    return undefined;
  }
}
