import { createHash, createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto';

/** An Ed25519 seed as PKCS #8 (RFC 8410): this, then the 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The RFC 7638 name of an Ed25519 key: a token names its key by it. @param {import('node:crypto').JsonWebKey} jwk */
export function thumbprint({ crv, kty, x }) {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

/**
 * A key for each service, so that none can sign as another one: derived from the installation's key, so that they are the
 * same after a restart without a file more.
 * @param {import('./secrets.mjs').Secrets['service_key']} installationKey
 * @param {string[]} names of services
 * @returns {{keyOf: (name: string) => string, issuers: string}} private JWKs by service, and everyone's public ones, as settings
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
