import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './private-file.mjs';
import { thumbprint } from './service-keys.mjs';

/**
 * @typedef {object} Secrets
 * @property {{kid: string, key: string}} kek key encryption key of the vault: 32 bytes, base64
 * @property {import('node:crypto').JsonWebKey & {kid: string}} service_key Ed25519 private key that services sign tokens with
 * @property {string} adapter_secret whsec_ and base64, as the Standard Webhooks specification writes it
 */

/** @returns {Secrets['service_key']} a private JWK (RFC 8037), its kid the RFC 7638 thumbprint */
function serviceKey() {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { ...jwk, alg: 'EdDSA', use: 'sig', kid: thumbprint(jwk) };
}

/**
 * The installation's own secrets in `<dataDir>/secrets.json` (mode 0600), made the first time. Losing the file loses every
 * credential that the vault holds.
 * @param {string} dataDir
 * @returns {Secrets}
 */
export function ensureSecrets(dataDir) {
  const file = join(dataDir, 'secrets.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const secrets = {
    kek: { kid: `kek-${randomBytes(4).toString('hex')}`, key: randomBytes(32).toString('base64') },
    service_key: serviceKey(),
    adapter_secret: `whsec_${randomBytes(32).toString('base64')}`,
  };
  writePrivate(file, secrets);
  return secrets;
}
