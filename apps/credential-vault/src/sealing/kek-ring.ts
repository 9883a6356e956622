import { DoesNotOpen } from './aead.js';
import { readRemoteKey } from './remote-keys/read-remote-key.js';
import { LocalKey, type WrappingKey } from './wrapping-key.js';

/** Wraps data keys, each with the key that its row names. */
export interface KeyBackend {
  /** The key that wraps new data keys. */
  readonly primary: string;
  /** All keys that can unwrap. */
  readonly kids: readonly string[];
  wrap(kid: string, plain: Buffer, aad: Buffer): Promise<Buffer>;
  /** @throws DoesNotOpen when the key is missing or does not fit; Problem 503 `key_unavailable` */
  unwrap(kid: string, wrapped: Buffer, aad: Buffer): Promise<Buffer>;
}

/** For one call to a key management service. */
const defaultTimeoutMs = 3_000;

/** Injection token of the backend in use. */
export const KEY_BACKEND = Symbol('KeyBackend');

/** Key encryption keys, in this process or in key management services. */
export class KekRing implements KeyBackend {
  readonly kids: readonly string[];
  private readonly keys: ReadonlyMap<string, WrappingKey>;

  /** @param keys by kid; 32 bytes are a key in this process */
  constructor(
    readonly primary: string,
    keys: ReadonlyMap<string, Buffer | WrappingKey>,
  ) {
    if (!keys.has(primary)) throw new Error(`the KEK ring has no key ${primary}, which it names as its primary`);
    for (const [kid, key] of keys)
      if (Buffer.isBuffer(key) && key.length !== 32) throw new Error(`the KEK ${kid} is not 32 bytes`);
    this.keys = new Map([...keys].map(([kid, key]) => [kid, Buffer.isBuffer(key) ? new LocalKey(key) : key]));
    this.kids = [...keys.keys()];
  }

  async wrap(kid: string, plain: Buffer, aad: Buffer): Promise<Buffer> {
    return this.key(kid).wrap(plain, aad);
  }

  async unwrap(kid: string, wrapped: Buffer, aad: Buffer): Promise<Buffer> {
    return this.key(kid).unwrap(wrapped, aad);
  }

  private key(kid: string): WrappingKey {
    const key = this.keys.get(kid);
    if (!key) throw new DoesNotOpen();
    return key;
  }
}

/**
 * Reads a ring from its setting `{"primary": "<kid>", "keys": {"<kid>": "<base64 of 32 bytes>"}}`. A key may also be in
 * a key management service (`read-remote-key.ts`). A ring that `npm start` generated says `"local": true`. It is not
 * allowed in production, since it is stored next to the database that it protects.
 * @throws Error that names the key but never shows it
 */
export function readKekRing(value: unknown, { production }: { production: boolean }): KekRing {
  const ring = value as { primary?: unknown; keys?: unknown; local?: unknown; timeout_ms?: unknown } | null;
  if (ring?.local === true && production) {
    throw new Error(
      'GATEHOUSE_KEK_RING is the key that npm start generated into its data folder, and NODE_ENV is production. Make a key ' +
        'of your own (openssl rand -base64 32), keep it separate from the database, and set GATEHOUSE_KEK_RING to ' +
        '{"primary": "<name>", "keys": {"<name>": "<key>"}}. Add the generated key if it sealed anything that you need.',
    );
  }
  if (typeof ring?.primary !== 'string' || typeof ring.keys !== 'object' || ring.keys === null) {
    throw new Error('GATEHOUSE_KEK_RING must be {"primary": kid, "keys": {kid: base64}}');
  }
  const timeoutMs = ring.timeout_ms ?? defaultTimeoutMs;
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 100 && timeoutMs <= 60_000)) {
    throw new Error(
      'GATEHOUSE_KEK_RING: timeout_ms (of one call to a key management service) must be from 100 to 60000',
    );
  }
  const keys = new Map<string, Buffer | WrappingKey>();
  for (const [kid, key] of Object.entries(ring.keys)) {
    if (typeof key !== 'string') keys.set(kid, readRemoteKey(kid, key, timeoutMs));
    else if (/^[A-Za-z0-9+/]{43}=$/.test(key)) keys.set(kid, Buffer.from(key, 'base64'));
    else throw new Error(`GATEHOUSE_KEK_RING: the key ${kid} is not the base64 form of 32 bytes`);
  }
  return new KekRing(ring.primary, keys);
}
