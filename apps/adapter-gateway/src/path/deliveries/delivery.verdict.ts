import type { DeliverFailure, DeliverResponse, Feature } from '#libs/adapter-sdk';
import { backoffMs } from '#libs/contracts';
import type { JournalEntry } from '#libs/journal';
import { errorCode } from '#libs/queue';
import { type Policy, type Settlement, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { AdapterError } from '../adapters/adapter-answer.js';
import { disabledCode, notReadyCode } from '../adapters/adapter-readiness.js';
import { busyCode, circuitOpenCode } from '../adapters/call-limits.js';
import { waitsForCredential } from '../apps/credential-waits.js';
import type { DeliveryRow, DeliveryState } from '../../entities/delivery.entity.js';
import type { GatewaySettings } from '../../env.js';

export const answerLostCode = 'answer_lost';

/**
 * Outcome of one attempt. `unknown`: it may have arrived and nobody can tell; the text says why, for a person.
 * `violation`: because the answer of the adapter breaks the contract.
 */
export type AttemptResult = DeliverResponse | { unknown: string; violation?: true };

/** A row, and what its adapter could not show in this attempt. */
export type AttemptedDelivery = DeliveryRow & { left_out?: Feature[] };

/** An attempt that is over. */
export type Made = { result: AttemptResult } | { error: unknown };

/** The provider may have the message, and the adapter cannot tell yet: it is asked again before anything is sent. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
  readonly code = answerLostCode;

  constructor(cause: unknown) {
    super(`not known whether it arrived: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export const tooLateCode = 'too_late';

/** The reply is not worth sending any more: its channel says for how long it is (`reply_ttl_seconds`). */
export class TooLate extends Error {
  override readonly name = 'TooLate';
  readonly code = tooLateCode;

  /** @param notThere whether the adapter has looked, and an earlier attempt whose answer was lost did not arrive */
  constructor(
    message: string,
    readonly notThere: boolean,
  ) {
    super(message);
  }
}

/** When a delivery expires, in ms since the epoch; infinite when it does not. A redrive gives it the whole time again. */
export function expiresAtMs({ open_since: since, content }: DeliveryRow): number {
  const { ttl_seconds: seconds } = content.target;
  return seconds === undefined ? Infinity : since.getTime() + seconds * 1_000;
}

/** @throws TooLate */
export function requireInTime(delivery: DeliveryRow, notThere = false): void {
  if (delivery.content.replaced) throw new TooLate('The message that takes its place was there before it.', notThere);
  if (Date.now() >= expiresAtMs(delivery)) throw new TooLate(tooLate(delivery), notThere);
}

/** Why a reply is not sent, for people. */
export function tooLate({ content, from_part: sent, parts }: DeliveryRow): string {
  const ttl = inWords((content.target.ttl_seconds ?? 0) * 1_000);
  const some = sent > 0 ? ` ${sent} of its ${parts ?? 'several'} parts had arrived.` : '';
  return `It was worth sending for ${ttl} (reply_ttl_seconds of its channel), and could not be sent in that time.${some}`;
}

/** A duration for people: `24 hours`, `90 seconds`. */
export function inWords(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ] as const;
  // A day is 24 hours here.
  const [unitMs, unit] = units.find(([one]) => ms >= 2 * one && ms % one === 0) ?? [1_000, 'second'];
  const count = Math.round((ms / unitMs) * 10) / 10;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export type RetryLimits = Pick<
  GatewaySettings,
  'DELIVERY_RETRY_FOR_MS' | 'DELIVERY_RETRY_PAUSE_MAX_MS' | 'DELIVERY_MAX_AGE_MS'
>;

/** What becomes of a delivery after an attempt: the columns of its row. */
export interface DeliveryOutcome extends Omit<Settlement, 'state'> {
  state: Exclude<DeliveryState, 'sending'>;
  from_part: number;
  error_detail: string | null;
  /** The address that the next attempt goes to; null keeps the old one. */
  moved_to: string | null;
  /** Null keeps the one of its first part. */
  provider_message_id: string | null;
}

type Own = Partial<Pick<DeliveryOutcome, 'from_part' | 'error_detail' | 'moved_to' | 'provider_message_id'>>;

/** A wait or a failure. `asked`: the provider said when to come back. */
type Rescheduled = Extract<Verdict, { do: 'retry' | 'later' }> & { asked?: boolean };

const maxAddressLength = 2_000;
const rateLimitedCode = 'rate_limited';
/** A provider that limits its calls needs longer than one that restarts. */
const firstPauseMs: Readonly<Record<string, number>> = { [rateLimitedCode]: 2_000 };
const usualFirstPauseMs = 250;
/** The last attempt at a reply that expires is made this long before. */
const lastMomentMs = 1_000;
/** The least pause, as a part of the time for which it has failed. */
const asksLessOften = 0.02;
/** Pauses of one outage differ, but none is so short that a receiver that starts is called by all at once. */
const jitter = 0.5;

/** What a delivery knows better than `settlementOf`: a lost answer, a moved address, a reply that expires. */
export function deliveryOutcome(delivery: DeliveryRow, attempt: Made, limits: RetryLimits): DeliveryOutcome {
  if ('error' in attempt) return afterError(delivery, attempt.error, limits);
  const { result } = attempt;
  if ('unknown' in result) {
    const code = result.violation ? 'contract_violation' : answerLostCode;
    return settle(delivery, { do: 'unknown', code }, { error_detail: result.unknown }, limits);
  }
  if (result.ok) return settle(delivery, { do: 'done' }, { provider_message_id: result.message_id }, limits);
  const { error: code, error_detail: detail } = result;
  const movedTo = newAddress(delivery, result);
  const own = {
    from_part: Math.max(result.delivered_parts ?? 0, delivery.from_part),
    error_detail: detail?.message ?? null,
    moved_to: movedTo,
  };
  if (movedTo === null && detail?.retryable !== true) return settle(delivery, { do: 'dead', code }, own, limits);
  const asked = movedTo === null ? detail?.retry_after : undefined;
  if (asked === undefined) return reschedule(delivery, { do: 'retry', code }, own, limits);
  return reschedule(delivery, { do: 'later', code, ms: asked * 1_000, ages: true, asked: true }, own, limits);
}

/** The address to continue with; null when the delivery moved once already, since two addresses may name each other. */
function newAddress({ moved_to: movedTo }: DeliveryRow, { error, error_detail }: DeliverFailure): string | null {
  const named: unknown = error_detail?.channel_address;
  if (error !== 'address_moved' || movedTo !== null || typeof named !== 'string') return null;
  return named === '' || named.length > maxAddressLength || named.includes('\0') ? null : named;
}

function afterError(delivery: DeliveryRow, error: unknown, limits: RetryLimits): DeliveryOutcome {
  const own = { error_detail: error instanceof Error ? error.message : String(error) };
  if (error instanceof TooLate) {
    const { reason, error_detail, tries } = delivery;
    const last = settle(
      { ...delivery, tries: tries - 1 },
      { do: 'dead', code: reason ?? '' },
      { error_detail },
      limits,
    );
    return expired(isInDoubt(delivery) && !error.notThere, error.message, { ...last, reason });
  }
  if (error instanceof AdapterError && error.code === 'contract_violation') {
    // A retry gives the same answer. What may have arrived before stays in doubt.
    if (isInDoubt(delivery)) return settle(delivery, { do: 'unknown', code: answerLostCode }, own, limits);
    return settle(delivery, { do: 'dead', code: error.code }, own, limits);
  }
  const found = verdictOf(error);
  // A 429 means what an adapter may also say in JSON.
  const isLimited = error instanceof AdapterError && error.answer?.status === 429;
  const verdict = found.do === 'retry' && isLimited ? { ...found, code: rateLimitedCode } : found;
  if (verdict.do === 'later') return reschedule(delivery, { ...verdict, asked: verdict.ages }, own, limits);
  if (verdict.do !== 'retry') return settle(delivery, verdict, own, limits);
  if (!(error instanceof AdapterError && error.onTrial)) return reschedule(delivery, verdict, own, limits);
  // A call on trial says nothing about this delivery, so it costs nothing.
  const ms = backoffMs(policyOf(verdict.code, limits).backoff, delivery.tries, jitter);
  return reschedule(delivery, { do: 'later', code: errorCode(error), ms, ages: true }, own, limits);
}

/**
 * When it is tried next, if at all. Failures are retried with growing pauses for DELIVERY_RETRY_FOR_MS, counted from the
 * first one; a wait for an adapter or a limit costs nothing of that. DELIVERY_MAX_AGE_MS bounds both.
 */
function reschedule(delivery: DeliveryRow, verdict: Rescheduled, own: Own, limits: RetryLimits): DeliveryOutcome {
  const nowMs = Date.now();
  const inTimeMs = expiresAtMs(delivery) - nowMs;
  const next = settle(delivery, verdict, own, limits);
  if (inTimeMs <= 0) return expired(isInDoubt(delivery), tooLate(delivery), next);
  const why = whyGivenUp(delivery, next, limits, nowMs);
  // Whatever delays it now, an earlier lost answer must not be forgotten.
  const reason = isInDoubt(delivery) ? answerLostCode : next.reason;
  if (why !== null) {
    const detail = next.error_detail === null ? why : `${why} The last failure: ${next.error_detail}`;
    const state = reason === answerLostCode ? 'unknown' : 'dead';
    return { ...next, state, reason, error_detail: detail, due_in_ms: null };
  }
  const dueInMs = next.due_in_ms ?? 0;
  const queued = { ...next, reason };
  // What it waits for may be over sooner, so it expires only when the time comes.
  if (verdict.do === 'later' && !verdict.ages) return { ...queued, due_in_ms: Math.min(dueInMs, inTimeMs) };
  if (verdict.do === 'later' && verdict.asked) {
    // Who always asks for a moment more is asked less and less often; and nobody is waited for beyond the end.
    const failingMs = nowMs - (next.blocked_since?.getTime() ?? nowMs);
    const leastMs = Math.min(failingMs * asksLessOften, limits.DELIVERY_RETRY_PAUSE_MAX_MS);
    const askedMs = Math.min(Math.max(verdict.ms, leastMs), limits.DELIVERY_MAX_AGE_MS);
    return askedMs < inTimeMs
      ? { ...queued, due_in_ms: askedMs }
      : expired(isInDoubt(delivery), tooLate(delivery), next);
  }
  if (dueInMs < inTimeMs) return queued;
  return inTimeMs > 2 * lastMomentMs
    ? { ...queued, due_in_ms: inTimeMs - lastMomentMs }
    : expired(isInDoubt(delivery), tooLate(delivery), next);
}

function whyGivenUp(delivery: DeliveryRow, next: DeliveryOutcome, limits: RetryLimits, nowMs: number): string | null {
  const { DELIVERY_MAX_AGE_MS: maxAgeMs, DELIVERY_RETRY_FOR_MS: retryForMs } = limits;
  if (nowMs - delivery.open_since.getTime() >= maxAgeMs) {
    return `It could not be sent within ${inWords(maxAgeMs)} (DELIVERY_MAX_AGE_MS).`;
  }
  return next.spent === null ? null : `All attempts failed for ${inWords(retryForMs)} (DELIVERY_RETRY_FOR_MS).`;
}

/** @param last the last failure or wait before it expired */
function expired(inDoubt: boolean, why: string, last: DeliveryOutcome): DeliveryOutcome {
  const { reason, error_detail: lastDetail } = last;
  const detail = reason === null ? why : `${why} The last failure: ${reason}${lastDetail ? `, ${lastDetail}` : ''}`;
  const end = { ...last, error_detail: detail, due_in_ms: null, blocked_since: null };
  return inDoubt
    ? { ...end, reason: answerLostCode, state: 'unknown' }
    : { ...end, reason: tooLateCode, state: 'expired' };
}

/** Whether an earlier attempt may have sent it: its answer was lost, or its process died before the answer came. */
export const isInDoubt = ({ reason }: DeliveryRow): boolean => reason === answerLostCode;

/** Only time ends the retries. */
function policyOf(code: string, limits: RetryLimits): Policy {
  const backoff = { baseMs: firstPauseMs[code] ?? usualFirstPauseMs, capMs: limits.DELIVERY_RETRY_PAUSE_MAX_MS };
  return { tries: Infinity, backoff, jitter, ageMs: limits.DELIVERY_RETRY_FOR_MS, failuresAge: true };
}

function settle(delivery: DeliveryRow, verdict: Verdict, own: Own, limits: RetryLimits): DeliveryOutcome {
  const code = verdict.do === 'done' ? '' : verdict.code;
  const { state, ...settlement } = settlementOf(delivery.id, delivery, verdict, policyOf(code, limits));
  const kept = { from_part: delivery.from_part, error_detail: null, moved_to: null, provider_message_id: null };
  return { ...kept, ...own, ...settlement, state: state === 'done' ? 'delivered' : state };
}

const pauses: (string | null)[] = [notReadyCode, disabledCode, circuitOpenCode, busyCode];

/** The timeline says a pause once, however often the delivery is attempted meanwhile. */
export const isPause = (code: string | null): boolean => pauses.includes(code);

/** The timeline entry of an attempt; null for a pause that continues, and for most of many failures of one kind. */
export function entryOf(
  delivery: AttemptedDelivery,
  outcome: DeliveryOutcome,
  durationMs: number,
): JournalEntry | null {
  const { state, reason: code } = outcome;
  const paused = isPause(code) && isPause(delivery.reason);
  const waits = waitsForCredential(code) && code === delivery.reason;
  const repeated = code === delivery.reason && !hasEntry(delivery.claim);
  if (state === 'queued' && (paused || waits || repeated)) return null;
  return {
    receipt_id: delivery.receipt_id,
    organization_id: delivery.organization_id,
    project_id: delivery.project_id,
    app_id: delivery.app_id,
    stage: 'delivery',
    outcome: state === 'queued' ? 'retrying' : state,
    reason: code,
    subject_id: delivery.id,
    attempt: delivery.claim,
    duration_ms: durationMs,
    detail: detailOf(delivery, outcome),
  };
}

/** The first attempts, then each that doubles their number: a day of failures is some ten entries, not hundreds. */
function hasEntry(claim: number): boolean {
  return claim <= 4 || Number.isInteger(Math.log2(claim));
}

function detailOf(
  { parts, cut_chars, left_out: leftOut }: AttemptedDelivery,
  { error_detail: detail, due_in_ms: dueInMs }: DeliveryOutcome,
): Record<string, unknown> | null {
  const facts = {
    ...(detail ? { error: detail.slice(0, 500) } : {}),
    ...(dueInMs === null ? {} : { next_at: new Date(Date.now() + dueInMs).toISOString() }),
    ...(parts === null ? {} : { parts }),
    ...(cut_chars > 0 ? { cut_chars } : {}),
    ...(leftOut ? { left_out: leftOut } : {}),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}
