import { Problem } from '#libs/service-kit';

/** @throws Problem 422 `invalid_idempotency_key` for a key that is there and cannot be one */
export function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new Problem(422, 'invalid_idempotency_key', 'An Idempotency-Key has 1 to 255 visible ASCII characters.');
}
