import { longestLifeSeconds } from '../oauth-providers/token-life.js';

const defaultLifeSeconds = 3_600;

/** When a token expires and when to replace it, in seconds from the moment when its request was sent. */
export interface TokenTimes {
  /** Null for a token that does not expire. */
  expiresIn: number | null;
  /** Null when it is never due. */
  dueIn: number | null;
}

/**
 * A token is replaced when a fifth of its life is left, or five minutes if that is more, but not before half of its
 * life has passed. Jitter makes it slightly earlier, so that grants made together are not refreshed together. A refresh
 * token that the provider forgets when idle is used after half that time, however long its access token lives.
 * @param given.floor seconds between two refreshes, whatever the provider says: a token is taken to live twice as long
 */
export function timesOf(
  given: { expiresIn: number | null; refreshIdle: number | null; renewable: boolean; floor: number },
  random = Math.random(),
): TokenTimes {
  const { expiresIn, refreshIdle, renewable, floor } = given;
  const answered = expiresIn ?? (renewable ? defaultLifeSeconds : null);
  const ttl = answered === null ? null : Math.min(Math.max(answered, 2 * floor), longestLifeSeconds);
  const byLife = ttl === null ? null : ttl - Math.min(Math.max(0.2 * ttl, 300), 0.5 * ttl) - random * 0.05 * ttl;
  const byIdleness = renewable && refreshIdle !== null ? refreshIdle * (0.5 - random * 0.05) : null;
  const dues = [byLife, byIdleness].filter((due) => due !== null);
  return { expiresIn: ttl, dueIn: dues.length > 0 ? Math.max(Math.min(...dues), floor) : null };
}
