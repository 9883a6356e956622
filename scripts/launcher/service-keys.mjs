import { createHash, createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto';

/** The PKCS #8 prefix of an Ed25519 seed (RFC 8410); the 32 bytes follow it. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The RFC 7638 thumbprint of an Ed25519 key: tokens refer to their key by it.
 * @param {import('node:crypto').JsonWebKey} jwk
 */
export function thumbprint({ crv, kty, x }) {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

/**
 * A key for each service, so that none can sign as another. They are derived from the installation's key, so that they
 * survive a restart without another file.
 * @param {import('./secrets.mjs').Secrets['service_key']} installationKey
 * @param {string[]} names of services
 * @returns {{keyOf: (name: string) => string, issuers: string}} private JWKs by service, and all public ones, as
 *   settings
 */
export function serviceKeys(installationKey, names) {
  const seed = Buffer.from(String(installationKey.d), 'base64url');
  const keys = new Map(
    names.map((name) => {
      const own = Buffer.from(hkdfSync('sha256', seed, '', `gatehouse service key ${name}`, 32));
      const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, own]), format: 'der', type: 'pkcs8' });
      const open = createPublicKey(key).export({ format: 'jwk' });
      const kid = thumbprint(open);
      return [name, { jwk: { ...key.export({ format: 'jwk' }), kid }, public: { ...open, kid } }];
    }),
  );
  const issuers = Object.fromEntries([...keys].map(([name, key]) => [name, { keys: [key.public] }]));
  return { keyOf: (name) => JSON.stringify(keys.get(name)?.jwk ?? null), issuers: JSON.stringify(issuers) };
}
