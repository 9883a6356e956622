// Secrets of an installation at work, replaced as docs/guides/rotate-keys.md says.
import { randomBytes } from 'node:crypto';
import { composePasswords, queuesOf, redisUser } from '../launcher/redis-users.mjs';

/** @typedef {import('./installation.mjs').Installation} Installation */

const fresh = () => randomBytes(24).toString('hex');
const variable = (/** @type {string} */ user) => user.toUpperCase().replaceAll('-', '_');
const users = Object.keys(queuesOf);

/** Of the role that migrates, and of each service's. @param {Installation} on */
export async function postgresRoles(on) {
  on.set(Object.fromEntries(['owner', ...users].map((user) => [`POSTGRES_PASSWORD_${variable(user)}`, fresh()])));
  await on.upgrade();
}

/** Of the administrator, by whom the roles are made. @param {Installation} on */
export async function postgresAdministrator(on) {
  const password = fresh();
  const statement = `ALTER ROLE gatehouse PASSWORD '${password}'`;
  await on.sh(`docker compose exec -T postgres psql -U gatehouse -c "${statement}"`);
  on.set({ POSTGRES_PASSWORD: password });
  await on.upgrade();
}

/** Redis knows both passwords of a user, until its definition with the new ones replaces it. @param {Installation} on */
export async function redisPasswords(on) {
  const passwords = Object.fromEntries(users.map((user) => [user, fresh()]));
  for (const [user, password] of Object.entries(passwords))
    await on.sh(
      `docker compose exec -T redis redis-cli --user gatehouse_admin --no-auth-warning ACL SETUSER ${redisUser(user)} '>${password}'`,
    );
  on.set(composePasswords((user) => passwords[user] ?? on.get('REDIS_PASSWORD_ADMIN')));
  await on.upgrade();
  await on.upgrade('--stores');
}

/** The gateway signs with the first, the adapters accept all. @param {Installation} on */
export async function adapterSecret(on) {
  const old = on.get('GATEHOUSE_ADAPTER_SECRET');
  const next = `whsec_${randomBytes(32).toString('base64')}`;
  for (const value of [`${old},${next}`, `${next},${old}`, next]) {
    on.set({ GATEHOUSE_ADAPTER_SECRET: value });
    await on.upgrade();
  }
}

/** An App of its own, whose senders sign. @param {Installation} on */
export async function signedApp(on) {
  const secret = fresh();
  const fields = { signing_secret: secret };
  const credential = await on.api('POST', 'credentials', { name: 'signs', type: 'text', fields });
  const how = { name: 'Signed', kind: 'builtin', credential_id: credential.id, signature: { scheme: 'hmac' } };
  const app = await on.api('POST', 'apps', how);
  await on.replyHere(app.id);
  return { url: on.at(app.webhook_path), secret, credential: String(credential.id) };
}

/** The sender signs with the new one some time later. @param {Installation} on @param {string} credential */
export async function signingSecret(on, credential) {
  const value = fresh();
  const field = `credentials/${credential}/fields/signing_secret`;
  await on.api('POST', `${field}/rotate`, { value, overlap_seconds: 3_600 });
  await on.observer('/sign', { secret: value });
  await on.api('POST', `${field}/finish-rotation`, {});
}
