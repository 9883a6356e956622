import { Problem } from '#libs/service-kit';

/** @returns the key that a caller sent, or null. @throws Problem 422 `invalid_idempotency_key` */
export function checkedKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem(422, 'invalid_idempotency_key', 'An Idempotency-Key has 1 to 255 visible ASCII characters.');
}
