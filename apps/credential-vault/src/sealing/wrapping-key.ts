import { open, seal } from './aead.js';

/** A key encryption key. It wraps data keys of 32 bytes, each bound to its place (`aad`). */
export interface WrappingKey {
  wrap(plain: Buffer, aad: Buffer): Promise<Buffer>;
  /** @throws DoesNotOpen when wrapped by another key, for another place, or changed; Problem 503 `key_unavailable` */
  unwrap(wrapped: Buffer, aad: Buffer): Promise<Buffer>;
}

/** A key whose bytes are in this process. */
export class LocalKey implements WrappingKey {
  /** @param bytes 32 bytes */
  constructor(private readonly bytes: Buffer) {}

  async wrap(plain: Buffer, aad: Buffer): Promise<Buffer> {
    return seal(this.bytes, plain, aad);
  }

  async unwrap(wrapped: Buffer, aad: Buffer): Promise<Buffer> {
    return open(this.bytes, wrapped, aad);
  }
}
