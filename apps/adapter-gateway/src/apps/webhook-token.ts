import { createHash, randomBytes } from 'node:crypto';
import type { AppRow } from './app.entity.js';

/** 256 bits: the token is the only secret in a webhook's URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A new token. The one before works on for `graceMs`; the one before that is retired at once. */
export function rotatedToken(
  app: AppRow,
  graceMs: number,
  now = Date.now(),
): Pick<AppRow, 'webhook_token' | 'previous_token_hash' | 'previous_token_until' | 'retired_token_hashes'> {
  const current = tokenHash(app.webhook_token);
  const retired = [
    ...app.retired_token_hashes,
    ...(app.previous_token_hash ? [app.previous_token_hash] : []),
    ...(graceMs === 0 ? [current] : []),
  ];
  return {
    webhook_token: newToken(),
    previous_token_hash: graceMs === 0 ? null : current,
    previous_token_until: graceMs === 0 ? null : new Date(now + graceMs),
    retired_token_hashes: retired,
  };
}
