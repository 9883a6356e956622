import { join } from 'node:path';
import { cacheDir } from './project.mjs';
import { kekRing } from './secrets.mjs';
import { serviceKeys, thumbprint } from './service-keys.mjs';
import { operationsOf } from './services.mjs';

const HOST = '127.0.0.1';
/** V8 gives young objects 128 MB here otherwise: a service grows into some of it while it starts, and gives nothing back. */
const HEAP = '--max-semi-space-size=8';

/** Secrets that only the services named here may see, whatever the launcher's own environment holds. */
const HOLDERS = {
  GATEHOUSE_KEK_RING: ['credential-vault'],
  GATEHOUSE_ADAPTER_SECRET: ['adapters', 'adapter-gateway'],
  GATEHOUSE_WEBHOOK_KEY: ['adapter-gateway'],
  MODEL_API_KEY: ['engine'],
};

/** Services that run what others wrote see these settings and no other. */
const ONLY = {
  'python-runner':
    /^(PATH|NODE_OPTIONS|NODE_COMPILE_CACHE|PORT|OPERATIONS_PORT|HOST|NODE_ENV|LOG_LEVEL|ENGINE_URL|GATEHOUSE_SERVICE_ISSUERS|SERVICE_TOKEN_\w+|PYTHON_\w+)$/,
};

/** @param {number} port */
export const originOf = (port) => `http://${HOST}:${port}`;

/**
 * The environment of each service. What the launcher's own environment sets (NODE_ENV, PUBLIC_URL, a key) wins over what
 * is generated.
 * @param {object} from
 * @param {import('./services.mjs').Service[]} from.services
 * @param {Record<string, number>} from.ports by service name
 * @param {import('./store-access.mjs').StoreAccess} from.stores
 * @param {import('./secrets.mjs').Secrets} from.secrets
 * @param {NodeJS.ProcessEnv} from.env
 * @returns {(name: string) => NodeJS.ProcessEnv}
 */
export function serviceEnv({ services, ports, stores, secrets, env }) {
  // A key that was supplied is everyone's, unless its issuers were too.
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
    NODE_OPTIONS: HEAP,
    NODE_COMPILE_CACHE: join(cacheDir, 'compiled'),
    ...env,
    HOST,
    // The shipped adapters are reached whatever else is allowed.
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
    own.REDIS_URL = at?.redisUrl;
    // It calls nobody, and its requests are signed by the gateway.
    if (name === 'adapters') delete own.GATEHOUSE_SERVICE_KEY;
    // Who makes no tokens checks them by public keys: where one key is everyone's, by its public half.
    own.GATEHOUSE_SERVICE_ISSUERS ??=
      name === 'python-runner' ? oneIssuer(own.GATEHOUSE_SERVICE_KEY, services) : undefined;
    // In production the vault refuses a generated key: that is for who asks for production, not for this default.
    if (name === 'credential-vault') own.NODE_ENV = env.NODE_ENV ?? 'development';
    for (const [secret, holders] of Object.entries(HOLDERS)) if (!holders.includes(name)) delete own[secret];
    const only = Object.entries(ONLY).find(([service]) => service === name)?.[1];
    for (const variable of Object.keys(own)) if (only && !only.test(variable)) delete own[variable];
    // npm's own settings are for npm, and may hold registry credentials.
    for (const variable of Object.keys(own)) if (/^npm_/i.test(variable)) delete own[variable];
    return own;
  };
}

/**
 * The public half of a key that all services sign with, as that of each; nonsense is for its readers to refuse.
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
