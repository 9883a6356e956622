import { createHash } from 'node:crypto';

/** What was exchanged with one sender lately. Times in ms since the epoch, oldest first. */
export interface Exchange {
  inboundAt: number[];
  repliedAt: number[];
  lastText: string | null;
  /** How often the last text came in a row. */
  sameTexts: number;
  pausedUntil: number | null;
  pauseReason: string | null;
}

export interface LoopLimits {
  /** Rounds (a message and a reply) within a minute that no person reaches. */
  LOOP_ROUNDS_PER_MINUTE: number;
  /** Messages of one text in a row. */
  LOOP_SAME_TEXTS: number;
  /** Rounds in a row at even intervals: a slow loop. */
  LOOP_EVEN_ROUNDS: number;
  LOOP_COOLDOWN_MS: number;
}

const windowMs = 60_000;
/** After such a silence it is another conversation: what runs slower than this costs little, and is often a schedule. */
const silenceMs = 900_000;
/** Kept of each kind; covers the largest limit. */
export const exchangeKept = 64;
/** Standard deviation of the intervals, as a share of their mean. People are seldom below 0.5, timers seldom above 0.1. */
const evenSpread = 0.2;

/**
 * Notes a message and says why the exchange has to pause, or null. Nothing is asked of the other side: what is counted is
 * rounds, so a person who writes many messages is not stopped as long as they are not answered one by one at a pace that
 * nobody types at, nor repeats themselves, nor writes like clockwork. Changes `exchange`.
 */
export function noteInbound(exchange: Exchange, text: string, nowMs: number, limits: LoopLimits): string | null {
  if (exchange.pausedUntil !== null) {
    if (nowMs < exchange.pausedUntil) return exchange.pauseReason ?? 'paused';
    resume(exchange);
  }
  if (nowMs - (exchange.inboundAt.at(-1) ?? nowMs) > silenceMs) resume(exchange);
  const fingerprint = fingerprintOf(text);
  exchange.sameTexts = fingerprint === exchange.lastText ? exchange.sameTexts + 1 : 1;
  exchange.lastText = fingerprint;
  exchange.inboundAt = [...exchange.inboundAt, nowMs].slice(-exchangeKept);
  const reason = loopIn(exchange, nowMs, limits);
  if (reason === null) return null;
  exchange.pausedUntil = nowMs + limits.LOOP_COOLDOWN_MS;
  exchange.pauseReason = reason;
  return reason;
}

/** Starts counting anew. */
export function resume(exchange: Exchange): void {
  Object.assign(exchange, {
    inboundAt: [],
    repliedAt: [],
    lastText: null,
    sameTexts: 0,
    pausedUntil: null,
    pauseReason: null,
  });
}

function loopIn({ inboundAt, repliedAt, sameTexts }: Exchange, nowMs: number, limits: LoopLimits): string | null {
  const answered = repliedAt.length > 0;
  if (answered && sameTexts >= limits.LOOP_SAME_TEXTS) return 'identical_texts';
  const recent = (times: number[]): number => times.filter((at) => at > nowMs - windowMs).length;
  if (Math.min(recent(inboundAt), recent(repliedAt)) >= limits.LOOP_ROUNDS_PER_MINUTE) return 'fast_loop';
  const row = inboundAt.slice(-(limits.LOOP_EVEN_ROUNDS + 1));
  const first = row[0];
  if (first === undefined || row.length <= limits.LOOP_EVEN_ROUNDS) return null;
  const replies = repliedAt.filter((at) => at >= first).length;
  // Each message has to have been answered, or it is no exchange but a feed that nobody echoes.
  return replies >= limits.LOOP_EVEN_ROUNDS - 1 && spreadOf(row) < evenSpread ? 'even_pace' : null;
}

function spreadOf(times: number[]): number {
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return mean === 0 ? 0 : Math.sqrt(variance) / mean;
}

/** Numbers do not make a text another one: loops count, and stamp times. */
function fingerprintOf(text: string): string {
  const bare = text
    .toLowerCase()
    .replace(/\p{N}+/gu, '0')
    .replace(/\s+/gu, ' ')
    .trim();
  return createHash('sha256').update(bare).digest('base64url').slice(0, 22);
}
