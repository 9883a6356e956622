import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const format = 0x01;
const ivBytes = 12;
const tagBytes = 16;

/** Sealed bytes do not open: wrong key, wrong associated data, or changed bytes. It says no more on purpose. */
export class DoesNotOpen extends Error {
  override readonly name = 'DoesNotOpen';
  constructor() {
    super('The sealed value cannot be opened with this key in this place.');
  }
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit IV per write and a 128-bit tag.
 * @param key 32 bytes
 * @returns `0x01 || iv (12) || ciphertext || tag (16)`
 */
export function seal(key: Buffer, plain: Buffer, aad: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(aad);
  return Buffer.concat([Buffer.of(format), iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws DoesNotOpen */
export function open(key: Buffer, sealed: Buffer, aad: Buffer): Buffer {
  if (sealed.length < 1 + ivBytes + tagBytes || sealed[0] !== format) throw new DoesNotOpen();
  const iv = sealed.subarray(1, 1 + ivBytes);
  const text = sealed.subarray(1 + ivBytes, sealed.length - tagBytes);
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
    .setAAD(aad)
    .setAuthTag(sealed.subarray(sealed.length - tagBytes));
  try {
    return Buffer.concat([decipher.update(text), decipher.final()]);
  } catch {
    throw new DoesNotOpen();
  }
}
