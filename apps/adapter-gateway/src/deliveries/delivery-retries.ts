import { type Backoff, backoffMs } from '#libs/contracts';
import type { GatewaySettings } from '../env.js';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import { inWords } from './in-words.js';
import { expiresAtMs, tooLate } from './too-late.js';

export type RetryLimits = Pick<
  GatewaySettings,
  'DELIVERY_RETRY_FOR_MS' | 'DELIVERY_RETRY_PAUSE_MAX_MS' | 'DELIVERY_MAX_AGE_MS'
>;

/** What an attempt came to: a wait, for which nobody was called, or a call that failed. */
export type Attempted =
  | { waitMs: number }
  | {
      /** False when the failure says nothing about this delivery, or the provider said when to come back. */
      counts: boolean;
      /** The provider's own `Retry-After`. */
      askedMs: number | null;
    };

/** `givenUp`, `tooLate`: it is not attempted again; the text says why. */
export type NextAttempt = { waitMs: number; failingSince: Date | null } | { givenUp: string } | { tooLate: string };

/** A provider that limits its calls needs longer than one that restarts. */
const firstPauseMs: Readonly<Record<string, number>> = { rate_limited: 2_000 };
const usualFirstPauseMs = 250;
/** The last attempt at a reply that expires is made this long before. */
const lastMomentMs = 1_000;
/** The least pause, as a part of the time for which it has failed. */
const asksLessOften = 0.02;
/** Pauses of one outage differ, but none is so short that a receiver that starts is called by all at once. */
const jitter = 0.5;

/**
 * When a delivery is tried next. Failures are retried with growing pauses for DELIVERY_RETRY_FOR_MS, counted from the
 * first one; a wait for an adapter or a limit costs nothing of that. DELIVERY_MAX_AGE_MS bounds both.
 * @param code of the failure or the wait
 */
export function nextAttempt(
  delivery: DeliveryRow,
  code: string | null,
  attempted: Attempted,
  limits: RetryLimits,
): NextAttempt {
  const nowMs = Date.now();
  const inTimeMs = expiresAtMs(delivery) - nowMs;
  if (inTimeMs <= 0) return { tooLate: tooLate(delivery) };
  if (nowMs - delivery.open_since.getTime() >= limits.DELIVERY_MAX_AGE_MS) {
    return { givenUp: `It could not be sent within ${inWords(limits.DELIVERY_MAX_AGE_MS)} (DELIVERY_MAX_AGE_MS).` };
  }
  // What it waits for may be over sooner, so it expires only when the time comes.
  if ('waitMs' in attempted) {
    return { waitMs: Math.min(attempted.waitMs, inTimeMs), failingSince: delivery.failing_since };
  }
  const failingSince = delivery.failing_since ?? new Date(nowMs);
  const leftMs = failingSince.getTime() + limits.DELIVERY_RETRY_FOR_MS - nowMs;
  if (leftMs <= 0) {
    const tried = `All attempts failed for ${inWords(limits.DELIVERY_RETRY_FOR_MS)} (DELIVERY_RETRY_FOR_MS).`;
    return { givenUp: tried };
  }
  if (attempted.askedMs !== null) {
    // Who always asks for a moment more is asked less and less often; and nobody is waited for beyond the end.
    const leastMs = Math.min((nowMs - failingSince.getTime()) * asksLessOften, limits.DELIVERY_RETRY_PAUSE_MAX_MS);
    const waitMs = Math.min(Math.max(attempted.askedMs, leastMs), limits.DELIVERY_MAX_AGE_MS);
    return waitMs >= inTimeMs ? { tooLate: tooLate(delivery) } : { waitMs, failingSince };
  }
  const backoff: Backoff = {
    baseMs: firstPauseMs[code ?? ''] ?? usualFirstPauseMs,
    capMs: limits.DELIVERY_RETRY_PAUSE_MAX_MS,
  };
  // The last attempt is made when the time is over, not up to a whole pause before that.
  const pauseMs = Math.min(backoffMs(backoff, delivery.attempts, jitter), leftMs);
  if (pauseMs < inTimeMs) return { waitMs: pauseMs, failingSince };
  return inTimeMs > 2 * lastMomentMs
    ? { waitMs: inTimeMs - lastMomentMs, failingSince }
    : { tooLate: tooLate(delivery) };
}
