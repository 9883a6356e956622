import { hkdfSync } from 'node:crypto';
import { queuesOf, redisUser } from './redis-users.mjs';

/** Services with a schema of their own, and so with a role of their own. */
const withDatabase = Object.keys(queuesOf);

/**
 * Passwords of the stores' users. They are derived from the installation's key, so that they survive a restart without
 * another file.
 * @param {import('./secrets.mjs').Secrets['service_key']} installationKey
 * @returns {(store: 'postgres' | 'redis', user: string) => string} hexadecimal, so that it needs no escape anywhere
 */
export function storePasswords(installationKey) {
  const seed = Buffer.from(String(installationKey.d), 'base64url');
  return (store, user) =>
    Buffer.from(hkdfSync('sha256', seed, '', `gatehouse ${store} user ${user}`, 24)).toString('hex');
}

/** @param {string} url @param {string} username @param {string} password */
function withUser(url, username, password) {
  const own = new URL(url);
  own.username = username;
  own.password = password;
  return own.href;
}

/**
 * The addresses of a process's stores; null for one without stores.
 * @typedef {(name: string) => {databaseUrl: string, directUrl?: string, redisUrl: string} | null} StoreAccess
 */

/**
 * Each service has its own role and user; the step `migrations` has the role that owns the schemas.
 * @param {object} from
 * @param {string} from.databaseUrl as an administrator
 * @param {string} [from.pooledUrl] a pooler's, which services use
 * @param {string} from.redisUrl
 * @param {import('./secrets.mjs').Secrets} from.secrets
 * @param {boolean} from.roles false: all use the role of databaseUrl
 * @param {boolean} from.users false: all use the user of redisUrl
 * @returns {StoreAccess}
 */
export function storeAccess({ databaseUrl, pooledUrl, redisUrl, secrets, roles, users }) {
  const passwordOf = storePasswords(secrets.service_key);
  return (name) => {
    const user = name === 'migrations' ? 'owner' : name;
    if (user !== 'owner' && !withDatabase.includes(user)) return null;
    const asRole = (/** @type {string} */ url) =>
      roles ? withUser(url, `gatehouse_${user.replaceAll('-', '_')}`, passwordOf('postgres', user)) : url;
    const isPooled = pooledUrl !== undefined && user !== 'owner';
    return {
      databaseUrl: asRole(isPooled ? pooledUrl : databaseUrl),
      ...(isPooled && { directUrl: asRole(databaseUrl) }),
      redisUrl: users && user !== 'owner' ? withUser(redisUrl, redisUser(user), passwordOf('redis', user)) : redisUrl,
    };
  };
}

/** @param {import('./secrets.mjs').Secrets} secrets @returns {string} the setting GATEHOUSE_DATABASE_PASSWORDS */
export function databasePasswords({ service_key: key }) {
  const passwordOf = storePasswords(key);
  return JSON.stringify(
    Object.fromEntries(['owner', ...withDatabase].map((user) => [user, passwordOf('postgres', user)])),
  );
}

/**
 * Passwords of a private Redis by user.
 * @param {import('./secrets.mjs').Secrets} secrets @returns {(user: string) => string}
 */
export function redisPasswords({ service_key: key }) {
  const passwordOf = storePasswords(key);
  return (user) => passwordOf('redis', user);
}
