import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Seals webhook tokens at rest (AES-256-GCM, the App's id as associated data). The first key seals, all of them open: a
 * new key is put before the old one. A webhook is found by its token's hash, so its URL works whatever becomes of the
 * keys; only showing it needs one.
 */
export class TokenSeal {
  /** @param keys of 32 bytes each */
  constructor(private readonly keys: readonly Buffer[]) {}

  seal(appId: string, token: string): Buffer {
    const [key] = this.keys;
    if (!key) throw new Error('there is no key to seal a webhook token with');
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(appId));
    const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** @returns null for what none of the keys sealed for this App */
  open(appId: string, sealed: Buffer | null): string | null {
    if (sealed === null || sealed.length < ivBytes + tagBytes) return null;
    for (const key of this.keys) {
      const token = openedBy(key, appId, sealed);
      if (token !== null) return token;
    }
    return null;
  }
}

function openedBy(key: Buffer, appId: string, sealed: Buffer): string | null {
  const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(appId));
  cipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return Buffer.concat([cipher.update(sealed.subarray(ivBytes + tagBytes)), cipher.final()]).toString('utf8');
  } catch {
    // Sealed with another key, moved or changed: the App then says that its URL cannot be shown.
    return null;
  }
}
