import { calculateJwkThumbprint, type CryptoKey, importJWK, type JWK } from 'jose';
import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** A key in JWK form (RFC 7517). */
export type Jwk = JsonWebKey;

/** A set of public keys (RFC 7517). */
export interface PublicJwks {
  keys: JWK[];
}

/** A service's own Ed25519 keys: the first one signs, all are published, so that a new one is known before it signs. */
export class ServiceKeys {
  /** Null without a private key: such a service checks tokens but cannot make any. */
  readonly signing: Promise<{ kid: string; key: CryptoKey | Uint8Array } | null>;
  readonly jwks: Promise<PublicJwks>;

  /** @param keys in JWK form; a key without a `kid` is named by its thumbprint (RFC 7638) */
  constructor(keys: Jwk[]) {
    const [first] = keys;
    const published = keys.map(publicPart);
    this.jwks = Promise.all(published).then((parts) => ({ keys: parts }));
    this.signing = first?.d ? signingPart(first) : Promise.resolve(null);
  }
}

async function signingPart(key: Jwk): Promise<{ kid: string; key: CryptoKey | Uint8Array }> {
  const { kid = '' } = await publicPart(key);
  return { kid, key: await importJWK(jwkOf(key), 'EdDSA') };
}

async function publicPart(given: Jwk): Promise<JWK> {
  const { crv = '', x = '' } = createPublicKey({ key: given, format: 'jwk' }).export({ format: 'jwk' });
  const bare = { kty: 'OKP', crv, x } as const;
  const kid = typeof given['kid'] === 'string' ? given['kid'] : await calculateJwkThumbprint(bare);
  return { ...bare, kid, alg: 'EdDSA', use: 'sig' };
}

function jwkOf({ crv = '', x = '', d = '' }: Jwk): JWK {
  return { kty: 'OKP', crv, x, d };
}
