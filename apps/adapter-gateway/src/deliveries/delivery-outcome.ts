import type { DeliverFailure } from '#libs/adapter-sdk';
import { errorCode, permanentCode, RunLater } from '#libs/queue';
import { AdapterError } from '../adapters/adapter-error.js';
import { answerLostCode } from './answer-lost.js';
import type { AttemptResult } from './lost-answers.js';
import type { DeliveryRow, DeliveryState } from '../entities/delivery.entity.js';
import { type Attempted, nextAttempt, type RetryLimits } from './delivery-retries.js';
import { TooLate, tooLateCode } from './too-late.js';

const maxAddressLength = 2_000;

/** What becomes of a delivery after an attempt. */
export interface DeliveryOutcome {
  state: Exclude<DeliveryState, 'sending'>;
  code: string | null;
  detail: string | null;
  messageId: string | null;
  fromPart: number;
  attempts: number;
  /** The address that the next attempt goes to. Absent when it stays. */
  movedTo?: string;
  /** Wait before the next attempt; null when it is settled. */
  retryInMs: number | null;
  /** Since when every call has failed; null when the last one did not, or none was made. */
  failingSince: Date | null;
}

/**
 * The one place that decides between delivered, retry, expired, dead and unknown. When it is tried next, and until
 * when, is in `nextAttempt`.
 */
export function deliveryOutcome(
  delivery: DeliveryRow,
  attempt: { result: AttemptResult } | { error: unknown },
  limits: RetryLimits,
): DeliveryOutcome {
  if ('error' in attempt) return afterError(delivery, attempt.error, limits);
  const { result } = attempt;
  const settled = { ...settledOf(delivery), fromPart: delivery.from_part };
  if ('unknown' in result) {
    const code = result.violation ? 'contract_violation' : answerLostCode;
    return { ...settled, state: 'unknown', code, detail: result.unknown, messageId: null };
  }
  if (result.ok) return { ...settled, state: 'delivered', code: null, detail: null, messageId: result.message_id };
  const fromPart = Math.max(result.delivered_parts ?? 0, delivery.from_part);
  const failed = { code: result.error, detail: result.error_detail?.message ?? null, messageId: null, fromPart };
  const movedTo = newAddress(delivery, result);
  if (movedTo) return { ...later(delivery, failed, { counts: true, askedMs: null }, limits), movedTo };
  if (result.error_detail?.retryable !== true) return { ...settled, ...failed, state: 'dead' };
  const askedMs = result.error_detail.retry_after === undefined ? null : result.error_detail.retry_after * 1_000;
  return later(delivery, failed, { counts: askedMs === null, askedMs }, limits);
}

/** The address to continue with; null when the delivery moved once already, since two addresses may name each other. */
function newAddress({ moved_to: movedTo }: DeliveryRow, { error, error_detail }: DeliverFailure): string | null {
  const named: unknown = error_detail?.channel_address;
  if (error !== 'address_moved' || movedTo !== null || typeof named !== 'string') return null;
  return named === '' || named.length > maxAddressLength || named.includes('\0') ? null : named;
}

function afterError(delivery: DeliveryRow, error: unknown, limits: RetryLimits): DeliveryOutcome {
  const failed = {
    code: errorCode(error),
    detail: error instanceof Error ? error.message : String(error),
    messageId: null,
    fromPart: delivery.from_part,
  };
  if (error instanceof TooLate) {
    const { error: code, error_detail: detail, attempts, from_part: fromPart } = delivery;
    const last = { code, detail, fromPart, messageId: null, attempts: attempts - 1 };
    return expired(isInDoubt(delivery) && !error.notThere, error.message, last);
  }
  const permanent = permanentCode(error);
  if (permanent !== null) return { ...failed, ...settledOf(delivery), code: permanent, state: 'dead' };
  if (error instanceof AdapterError && error.code === 'contract_violation') {
    // A retry gives the same answer. What may have arrived before stays in doubt.
    const end = { ...failed, ...settledOf(delivery) };
    return isInDoubt(delivery) ? { ...end, code: answerLostCode, state: 'unknown' } : { ...end, state: 'dead' };
  }
  return later(delivery, failed, attemptedOf(error), limits);
}

/** A wait without a call, or a call that failed. A call on trial says nothing about this delivery, so it costs nothing. */
function attemptedOf(error: unknown): Attempted {
  if (error instanceof RunLater) return { waitMs: error.delayMs };
  if (!(error instanceof AdapterError)) return { counts: true, askedMs: null };
  return { counts: error.retryAfterMs === null && !error.onTrial, askedMs: error.retryAfterMs };
}

function later(
  delivery: DeliveryRow,
  failed: Pick<DeliveryOutcome, 'code' | 'detail' | 'messageId' | 'fromPart'>,
  attempted: Attempted,
  limits: RetryLimits,
): DeliveryOutcome {
  // Whatever delays it now, an earlier lost answer must not be forgotten.
  const code = isInDoubt(delivery) ? answerLostCode : failed.code;
  const counts = 'counts' in attempted && attempted.counts;
  const attempts = counts ? delivery.attempts : delivery.attempts - 1;
  const next = nextAttempt(delivery, failed.code, attempted, limits);
  if ('tooLate' in next) return expired(isInDoubt(delivery), next.tooLate, { ...failed, attempts });
  if ('givenUp' in next) {
    const detail = failed.detail === null ? next.givenUp : `${next.givenUp} The last failure: ${failed.detail}`;
    const state = code === answerLostCode ? 'unknown' : 'dead';
    return { ...failed, code, detail, state, attempts, retryInMs: null, failingSince: null };
  }
  return { ...failed, code, state: 'queued', attempts, retryInMs: next.waitMs, failingSince: next.failingSince };
}

/** @param last the last failure or wait before it expired */
function expired(
  inDoubt: boolean,
  why: string,
  last: Pick<DeliveryOutcome, 'code' | 'detail' | 'messageId' | 'fromPart' | 'attempts'>,
): DeliveryOutcome {
  const detail =
    last.code === null ? why : `${why} The last failure: ${last.code}${last.detail ? `, ${last.detail}` : ''}`;
  const end = { ...last, detail, retryInMs: null, failingSince: null };
  return inDoubt ? { ...end, code: answerLostCode, state: 'unknown' } : { ...end, code: tooLateCode, state: 'expired' };
}

const isInDoubt = ({ error }: DeliveryRow): boolean => error === answerLostCode;

function settledOf({ attempts }: DeliveryRow): Pick<DeliveryOutcome, 'attempts' | 'retryInMs' | 'failingSince'> {
  return { attempts, retryInMs: null, failingSince: null };
}
