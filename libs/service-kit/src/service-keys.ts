import { calculateJwkThumbprint, type CryptoKey, importJWK, type JWK } from 'jose';
import { createPublicKey } from 'node:crypto';
import type { Jwk } from './env.js';

/** A set of public keys (RFC 7517). */
export interface PublicJwks {
  keys: JWK[];
}

/** A service's own Ed25519 keys: the first one signs, all are published, so that a new one is known before it signs. */
export class ServiceKeys {
  readonly signing: Promise<{ kid: string; key: CryptoKey | Uint8Array }>;
  readonly jwks: Promise<PublicJwks>;

  /** @param privateKeys in JWK form; a key without a `kid` is named by its thumbprint (RFC 7638) */
  constructor(privateKeys: Jwk[]) {
    const [first] = privateKeys;
    if (!first) throw new Error('a service needs a key to sign with');
    const published = privateKeys.map(publicPart);
    this.jwks = Promise.all(published).then((keys) => ({ keys }));
    this.signing = publicPart(first).then(async ({ kid = '' }) => ({
      kid,
      key: await importJWK(jwkOf(first), 'EdDSA'),
    }));
  }
}

async function publicPart(privateKey: Jwk): Promise<JWK> {
  const { crv = '', x = '' } = createPublicKey({ key: privateKey, format: 'jwk' }).export({ format: 'jwk' });
  const bare = { kty: 'OKP', crv, x } as const;
  const kid = typeof privateKey['kid'] === 'string' ? privateKey['kid'] : await calculateJwkThumbprint(bare);
  return { ...bare, kid, alg: 'EdDSA', use: 'sig' };
}

function jwkOf({ crv = '', x = '', d = '' }: Jwk): JWK {
  return { kty: 'OKP', crv, x, d };
}
