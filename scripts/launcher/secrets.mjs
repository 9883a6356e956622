import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './private-file.mjs';
import { thumbprint } from './service-keys.mjs';

/**
 * @typedef {object} Secrets
 * @property {Kek} kek key encryption key of the vault
 * @property {Kek[]} [older_keks] earlier ones, which still decrypt what they wrapped
 * @property {import('node:crypto').JsonWebKey & {kid: string}} service_key Ed25519 private key that services sign tokens with
 * @property {string} webhook_key seals the tokens of webhook URLs, 32 bytes in base64
 * @property {string} adapter_secret whsec_ and base64, as the Standard Webhooks specification writes it
 */

/** @typedef {{kid: string, key: string}} Kek key: 32 bytes, base64 */

/** @returns {Kek} */
const newKek = () => ({ kid: `kek-${randomBytes(4).toString('hex')}`, key: randomBytes(32).toString('base64') });

/** @returns {Secrets['service_key']} a private JWK (RFC 8037), its kid the RFC 7638 thumbprint */
function serviceKey() {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { ...jwk, alg: 'EdDSA', use: 'sig', kid: thumbprint(jwk) };
}

const newWebhookKey = () => randomBytes(32).toString('base64');

/** @param {string} dataDir */
const fileOf = (dataDir) => join(dataDir, 'secrets.json');

/**
 * Puts a new key encryption key before the existing ones. They stay: backups need them, and so does whatever is not
 * rewrapped yet.
 * @param {string} dataDir
 * @returns {string} its kid
 */
export function addKek(dataDir) {
  const { kek, older_keks: older = [], ...rest } = ensureSecrets(dataDir);
  const added = newKek();
  writePrivate(fileOf(dataDir), { kek: added, older_keks: [kek, ...older], ...rest });
  return added.kid;
}

/** @param {Secrets} secrets @returns {string} the setting GATEHOUSE_KEK_RING */
export function kekRing({ kek, older_keks: older = [] }) {
  const keys = Object.fromEntries([kek, ...older].map(({ kid, key }) => [kid, key]));
  return JSON.stringify({ primary: kek.kid, keys, local: true });
}

const makers = {
  service_key: serviceKey,
  webhook_key: newWebhookKey,
  adapter_secret: () => `whsec_${randomBytes(32).toString('base64')}`,
};

/**
 * The installation's own secrets in `<dataDir>/secrets.json` (mode 0600), created at the first start. Without this file
 * every credential in the vault is lost.
 * @param {string} dataDir
 * @returns {Secrets}
 */
export function ensureSecrets(dataDir) {
  const file = fileOf(dataDir);
  if (existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8'));
    // Deleted to have another one, or an older version wrote the file. Nobody can replace the keys of the vault.
    const missing = Object.entries(makers).filter(([name]) => !known[name]);
    for (const [name, make] of missing) known[name] = make();
    if (missing.length > 0) writePrivate(file, known);
    return known;
  }
  const secrets = {
    kek: newKek(),
    service_key: makers.service_key(),
    webhook_key: makers.webhook_key(),
    adapter_secret: makers.adapter_secret(),
  };
  writePrivate(file, secrets);
  return secrets;
}
