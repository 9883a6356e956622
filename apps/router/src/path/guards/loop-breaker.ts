import type { AutomaticKind, NormalizedMessage } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import type { MachineKind } from '../../entities/message.entity.js';
import type { ChannelRow } from '../../entities/rules.entity.js';

/** What was recently exchanged with one sender. Times in ms since the epoch, oldest first. */
export interface Exchange {
  inboundAt: number[];
  repliedAt: number[];
  lastText: string | null;
  /** How often the last text was repeated in a row. */
  sameTexts: number;
  /** The last text without its numbers. */
  lastForm: string | null;
  /** How often that form was repeated in a row. */
  sameForms: number;
  pausedUntil: number | null;
  pauseReason: string | null;
  /** Whether the sender was informed of the pause. */
  pauseNoticed: boolean;
}

export interface LoopLimits {
  /** Rounds (a message and a reply) within a minute, more than a person manages. */
  LOOP_ROUNDS_PER_MINUTE: number;
  /** Messages with the same text in a row. */
  LOOP_SAME_TEXTS: number;
  /** Rounds in a row at even intervals, with a sign of a machine: a slow loop. */
  LOOP_EVEN_ROUNDS: number;
  LOOP_COOLDOWN_MS: number;
}

const windowMs = 60_000;
/** After this silence a new conversation begins: a slower loop costs little, and is often a schedule. */
const silenceMs = 900_000;
/** Times kept of each kind; covers the largest limit. */
export const exchangeKept = 64;
/** Standard deviation of the intervals, as a share of their mean. People are seldom below 0.5, timers seldom above 0.1. */
const evenSpread = 0.2;
const instantMs = 1_000;

/**
 * Records a message and returns why the exchange has to pause, or null. Changes `exchange`. It needs nothing from the
 * other side. Rounds are counted, so a person who writes many messages is not stopped unless they are answered one by
 * one faster than anybody types, repeat themselves, or come like clockwork with a sign of a machine.
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
  const form = fingerprintOf(formOf(text));
  exchange.sameForms = form === exchange.lastForm ? exchange.sameForms + 1 : 1;
  exchange.lastForm = form;
  exchange.inboundAt = [...exchange.inboundAt, nowMs].slice(-exchangeKept);
  const reason = loopIn(exchange, nowMs, limits);
  if (reason === null) return null;
  exchange.pausedUntil = nowMs + limits.LOOP_COOLDOWN_MS;
  exchange.pauseReason = reason;
  exchange.pauseNoticed = false;
  return reason;
}

/** Restarts the counts. */
export function resume(exchange: Exchange): void {
  Object.assign(exchange, {
    inboundAt: [],
    repliedAt: [],
    lastText: null,
    sameTexts: 0,
    lastForm: null,
    sameForms: 0,
    pausedUntil: null,
    pauseReason: null,
    pauseNoticed: false,
  });
}

function loopIn(exchange: Exchange, nowMs: number, limits: LoopLimits): string | null {
  const { inboundAt, repliedAt, sameTexts } = exchange;
  const answered = repliedAt.length > 0;
  if (answered && sameTexts >= limits.LOOP_SAME_TEXTS) return 'identical_texts';
  const recent = (times: number[]): number => times.filter((at) => at > nowMs - windowMs).length;
  if (Math.min(recent(inboundAt), recent(repliedAt)) >= limits.LOOP_ROUNDS_PER_MINUTE) return 'fast_loop';
  const rounds = limits.LOOP_EVEN_ROUNDS;
  const row = inboundAt.slice(-(rounds + 1));
  const first = row[0];
  if (first === undefined || row.length <= rounds) return null;
  const replies = repliedAt.filter((at) => at >= first).length;
  // Each message must have been answered; otherwise this is not an exchange but a feed that nobody echoes.
  if (replies < rounds - 1) return null;
  return isMachine(exchange, row, limits) ? 'even_pace' : null;
}

/**
 * A person may write evenly, and types on while the agent answers. A machine that waits for each reply keeps its own
 * delay after it, whatever the agent's time, and so whatever there was to read. One that does not is known by what it
 * says: one form, with other numbers in it, for much longer than a person counts.
 */
function isMachine({ repliedAt, sameForms }: Exchange, row: number[], limits: LoopLimits): boolean {
  const rounds = limits.LOOP_EVEN_ROUNDS;
  const ownPace = isEven(gapsOf(row));
  const followsReplies = isEven(reactionsIn(row, repliedAt, rounds - 1));
  if (followsReplies && !ownPace) return true;
  return ownPace && sameForms > 2 * rounds;
}

function gapsOf(times: number[]): number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}

/**
 * How long after our last reply each message came: a machine's own time, however long the agent took. Empty when fewer
 * than `enough` messages answer a reply.
 */
function reactionsIn(row: number[], repliedAt: number[], enough: number): number[] {
  const reactions = row.slice(1).flatMap((at, index) => {
    const reply = repliedAt.findLast((replied) => replied <= at);
    return reply === undefined || reply < (row[index] ?? 0) ? [] : [at - reply];
  });
  return reactions.length < enough ? [] : reactions;
}

function isEven(times: number[]): boolean {
  if (times.length === 0) return false;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length;
  // Nobody reads and types within a second, twenty times in a row: the remaining variation comes from the network.
  return Math.max(...times) < instantMs || Math.sqrt(variance) < evenSpread * mean;
}

/** Without what counts: numbers, and words with digits in them such as ids. */
function formOf(text: string): string {
  return text.replaceAll(/[\p{L}\p{N}_-]+/gu, (word) => (/\p{N}/u.test(word) ? '0' : word));
}

/** The exact text: `order 1000` and `order 1037` differ. Loops that count are recognised by their pace. */
function fingerprintOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/**
 * The kind of an automatic message, as its adapter determined it (`metadata`), or null. Such a message is read like any
 * other, but it gets no reply (RFC 3834).
 */
export function automaticKindOf({ metadata = {} }: NormalizedMessage): AutomaticKind | null {
  if (metadata['bounce'] === true) return 'bounce';
  if (metadata['mailing_list'] === true) return 'mailing_list';
  if (metadata['notification'] === true) return 'notification';
  return isAutoSubmitted(metadata['auto_submitted']) ? 'automatic_message' : null;
}

/** Why the Chief of Staff does not get a message: its kind, where the channel keeps that kind to triggers. */
export function keptFromChiefOfStaff(
  message: NormalizedMessage,
  channel: Pick<ChannelRow, 'bots' | 'automatic'> | null,
): MachineKind | null {
  const automatic = automaticKindOf(message);
  if (automatic && channel?.automatic !== 'chief_of_staff') return automatic;
  return isOfBot(message) && channel?.bots !== 'chief_of_staff' ? 'bot' : null;
}

/** From another bot: neither the platform's own message nor one of the four kinds of spec 4.2, which have `is_bot`. */
export function isOfBot({ metadata = {} }: NormalizedMessage): boolean {
  const sender = metadata['sender'];
  if (metadata['from_bot'] === true) return true;
  return typeof sender === 'object' && sender !== null && 'is_bot' in sender && sender.is_bot === true;
}

/** RFC 3834: anything but `no` was sent by a machine. */
function isAutoSubmitted(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && value.trim() !== '' && !/^no\b/i.test(value.trim());
}

/** The clock of guards and sessions: in a test, hours of a slow loop pass within milliseconds. */
@Injectable()
export class Clock {
  nowMs(): number {
    return Date.now();
  }
}
