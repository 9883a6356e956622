import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes as text: a state, a browser's cookie, a link's token. Only its digest is stored. */
export function newFlowSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function isDigestOf(digest: Buffer, secret: string | undefined): boolean {
  return secret !== undefined && timingSafeEqual(digest, digestOf(secret));
}
