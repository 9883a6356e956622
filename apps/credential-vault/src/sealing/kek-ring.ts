import { DoesNotOpen, open, seal } from './aead.js';

/** Wraps data keys. The local ring is the first implementation; a KMS or a transit engine is another. */
export interface KeyBackend {
  /** The key that wraps what is written now. */
  readonly primary: string;
  /** Every key that can unwrap. */
  readonly kids: readonly string[];
  wrap(kid: string, plain: Buffer, aad: Buffer): Promise<Buffer>;
  /** @throws DoesNotOpen when the key is not there, or does not fit */
  unwrap(kid: string, wrapped: Buffer, aad: Buffer): Promise<Buffer>;
}

/** DI token of the backend in use. */
export const KEY_BACKEND = Symbol('KeyBackend');

/** Key encryption keys held in this process. */
export class KekRing implements KeyBackend {
  readonly kids: readonly string[];

  constructor(
    readonly primary: string,
    private readonly keys: ReadonlyMap<string, Buffer>,
  ) {
    if (!keys.has(primary)) throw new Error(`the KEK ring has no key ${primary}, which it names as its primary`);
    for (const [kid, key] of keys) if (key.length !== 32) throw new Error(`the KEK ${kid} is not 32 bytes`);
    this.kids = [...keys.keys()];
  }

  async wrap(kid: string, plain: Buffer, aad: Buffer): Promise<Buffer> {
    return seal(this.key(kid), plain, aad);
  }

  async unwrap(kid: string, wrapped: Buffer, aad: Buffer): Promise<Buffer> {
    return open(this.key(kid), wrapped, aad);
  }

  private key(kid: string): Buffer {
    const key = this.keys.get(kid);
    if (!key) throw new DoesNotOpen();
    return key;
  }
}

/**
 * Reads a ring from its setting `{"primary": "<kid>", "keys": {"<kid>": "<base64 of 32 bytes>"}}`. A ring that `npm start`
 * made for itself says `"local": true`, and is no key for production: it lies beside the database that it protects.
 * @throws Error that names the key but never shows it
 */
export function readKekRing(value: unknown, { production }: { production: boolean }): KekRing {
  const ring = value as { primary?: unknown; keys?: unknown; local?: unknown } | null;
  if (ring?.local === true && production) {
    throw new Error(
      'GATEHOUSE_KEK_RING is the key that npm start generated into its data folder, and NODE_ENV is production. Make a key ' +
        'of your own (openssl rand -base64 32), keep it apart from the database, and set GATEHOUSE_KEK_RING to ' +
        '{"primary": "<name>", "keys": {"<name>": "<key>"}}, with the generated key beside it if it sealed anything you need.',
    );
  }
  if (typeof ring?.primary !== 'string' || typeof ring.keys !== 'object' || ring.keys === null) {
    throw new Error('GATEHOUSE_KEK_RING is not {"primary": kid, "keys": {kid: base64}}');
  }
  const keys = new Map<string, Buffer>();
  for (const [kid, text] of Object.entries(ring.keys)) {
    if (typeof text !== 'string' || !/^[A-Za-z0-9+/]{43}=$/.test(text)) {
      throw new Error(`GATEHOUSE_KEK_RING: the key ${kid} is not the base64 form of 32 bytes`);
    }
    keys.set(kid, Buffer.from(text, 'base64'));
  }
  return new KekRing(ring.primary, keys);
}
