import type { Jwk } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type EngineSettings, SETTINGS } from '../../settings.js';

/** Of an Ed25519 private key in PKCS #8 (RFC 8410), before its 32 bytes. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Keys that follow from the engine's own (HKDF, RFC 5869): those that sign what agents show to others, and those that
 * encrypt what others have given us. So every replica has the same, there is no further secret to keep, and what one of
 * them signs is worth nothing as a token between services.
 */
@Injectable()
export class AgentKeys {
  /** Encrypt what callers tell us; the first one does, all of them open. */
  readonly sealing: readonly Uint8Array[];
  readonly signing: Promise<{ kid: string; key: KeyObject }>;
  /** With which others check what is signed, the next key as well. */
  readonly jwks: Promise<{ keys: JWK[] }>;

  constructor(@Inject(SETTINGS) { GATEHOUSE_SERVICE_KEY: own }: EngineSettings) {
    this.sealing = own.map((key) => derived(key, 'gatehouse task push secrets'));
    const pairs = own.map((key) => signingPair(derived(key, 'gatehouse agent signatures')));
    this.signing = Promise.all(pairs).then(([first]) => {
      if (!first) throw new Error('there is no key to sign with');
      return { kid: first.published.kid ?? '', key: first.key };
    });
    this.jwks = Promise.all(pairs).then((all) => ({ keys: all.map(({ published }) => published) }));
  }
}

function derived({ d = '' }: Jwk, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', purpose, 32));
}

async function signingPair(seed: Uint8Array): Promise<{ key: KeyObject; published: JWK }> {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const { crv = '', x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const bare = { kty: 'OKP', crv, x } as const;
  return { key, published: { ...bare, kid: await calculateJwkThumbprint(bare), alg: 'EdDSA', use: 'sig' } };
}
