import type { DeliverFailure } from '#libs/adapter-sdk';
import { backoffMs, deliverySend } from '#libs/contracts';
import { errorCode, permanentCode, RunLater } from '#libs/queue';
import { AdapterError } from '../adapters/adapter-error.js';
import { answerLostCode } from './answer-lost.js';
import type { AttemptResult } from './lost-answers.js';
import type { DeliveryRow, DeliveryState } from './delivery.entity.js';

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
}

/**
 * The one place that decides between delivered, retry, dead and unknown. A wait with a known end (a `Retry-After`, an
 * open circuit, an adapter that is not ready) costs no attempt; only its age ends such a delivery.
 */
export function deliveryOutcome(
  delivery: DeliveryRow,
  attempt: { result: AttemptResult } | { error: unknown },
  maxAgeMs: number,
): DeliveryOutcome {
  if ('error' in attempt) return afterError(delivery, attempt.error, maxAgeMs);
  const { result } = attempt;
  const settled = { fromPart: delivery.from_part, attempts: delivery.attempts, retryInMs: null };
  if ('unknown' in result) {
    const code = result.violation ? 'contract_violation' : answerLostCode;
    return { ...settled, state: 'unknown', code, detail: result.unknown, messageId: null };
  }
  if (result.ok) return { ...settled, state: 'delivered', code: null, detail: null, messageId: result.message_id };
  const fromPart = Math.max(result.delivered_parts ?? 0, delivery.from_part);
  const failed = { code: result.error, detail: result.error_detail?.message ?? null, messageId: null, fromPart };
  const movedTo = newAddress(delivery, result);
  if (movedTo) return { ...later(delivery, failed, null, maxAgeMs), movedTo };
  if (result.error_detail?.retryable !== true) return { ...settled, ...failed, state: 'dead' };
  const askedMs = result.error_detail.retry_after === undefined ? null : result.error_detail.retry_after * 1_000;
  return later(delivery, failed, askedMs, maxAgeMs);
}

/** The address to continue with; null when the delivery moved once already, since two addresses may name each other. */
function newAddress({ moved_to: movedTo }: DeliveryRow, { error, error_detail }: DeliverFailure): string | null {
  const named: unknown = error_detail?.channel_address;
  if (error !== 'address_moved' || movedTo !== null || typeof named !== 'string') return null;
  return named === '' || named.length > maxAddressLength || named.includes('\0') ? null : named;
}

function afterError(delivery: DeliveryRow, error: unknown, maxAgeMs: number): DeliveryOutcome {
  const failed = {
    code: errorCode(error),
    detail: error instanceof Error ? error.message : String(error),
    messageId: null,
    fromPart: delivery.from_part,
  };
  const permanent = permanentCode(error);
  if (permanent !== null) {
    return { ...failed, code: permanent, state: 'dead', attempts: delivery.attempts, retryInMs: null };
  }
  if (error instanceof AdapterError && error.code === 'contract_violation') {
    // A retry gives the same answer. What may have arrived before stays in doubt.
    const inDoubt = delivery.error === answerLostCode;
    const end = { attempts: delivery.attempts, retryInMs: null };
    return inDoubt
      ? { ...failed, ...end, code: answerLostCode, state: 'unknown' }
      : { ...failed, ...end, state: 'dead' };
  }
  const askedMs = error instanceof RunLater ? error.delayMs : error instanceof AdapterError ? error.retryAfterMs : null;
  // The trial of an adapter known to fail says nothing about this delivery.
  if (error instanceof AdapterError && error.onTrial)
    return later(delivery, failed, askedMs ?? backoffMs(deliverySend.backoff, 1), maxAgeMs);
  return later(delivery, failed, askedMs, maxAgeMs);
}

function later(
  delivery: DeliveryRow,
  failed: Pick<DeliveryOutcome, 'code' | 'detail' | 'messageId' | 'fromPart'>,
  askedMs: number | null,
  maxAgeMs: number,
): DeliveryOutcome {
  const attempts = askedMs === null ? delivery.attempts : delivery.attempts - 1;
  const tooOld = Date.now() - delivery.open_since.getTime() >= maxAgeMs;
  // Whatever delays it now, an earlier lost answer must not be forgotten.
  const code = delivery.error === answerLostCode ? answerLostCode : failed.code;
  if (tooOld || attempts >= deliverySend.attempts) {
    return { ...failed, code, state: code === answerLostCode ? 'unknown' : 'dead', attempts, retryInMs: null };
  }
  return {
    ...failed,
    code,
    state: 'queued',
    attempts,
    retryInMs: askedMs ?? backoffMs(deliverySend.backoff, delivery.attempts),
  };
}
