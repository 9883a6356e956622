import { createHash, randomBytes } from 'node:crypto';

const pattern = /^gh_[A-Za-z0-9_-]{43}$/;

/** A new key: `gh_` and 256 random bits in base64url. */
export function newKey(): string {
  return `gh_${randomBytes(32).toString('base64url')}`;
}

export function isKey(text: string): boolean {
  return pattern.test(text);
}

/** SHA-256. Only this and the last 4 characters of a key are stored. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
