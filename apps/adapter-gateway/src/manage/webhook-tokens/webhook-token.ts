import { createHash, randomBytes } from 'node:crypto';
import type { AppRow } from '../../entities/app.entity.js';
import type { TokenSeal } from './token-seal.js';

type CurrentToken = Pick<AppRow, 'token_hash' | 'sealed_token'>;

/** 256 bits: the token is the only secret in a webhook's URL. */
export function newToken(appId: string, seal: TokenSeal): CurrentToken {
  const token = randomBytes(32).toString('base64url');
  return { token_hash: tokenHash(token), sealed_token: seal.seal(appId, token) };
}

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A new token. The previous one still works for `graceMs`; the one before that is retired at once. */
export function rotatedToken(
  app: AppRow,
  seal: TokenSeal,
  graceMs: number,
  now = Date.now(),
): CurrentToken & Pick<AppRow, 'previous_token_hash' | 'previous_token_until' | 'retired_token_hashes'> {
  const current = app.token_hash;
  const retired = [
    ...app.retired_token_hashes,
    ...(app.previous_token_hash ? [app.previous_token_hash] : []),
    ...(graceMs === 0 ? [current] : []),
  ];
  return {
    ...newToken(app.id, seal),
    previous_token_hash: graceMs === 0 ? null : current,
    previous_token_until: graceMs === 0 ? null : new Date(now + graceMs),
    retired_token_hashes: retired,
  };
}
