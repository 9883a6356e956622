import { own } from '../../../own.js';
import { eventToDo } from '../../../texts/event.js';
import { type Tone, toneOf } from '../../../ui/status-badge.js';
import type { EventDetail } from './stations.js';

export interface Answer {
  /** The state in one word. */
  status: string;
  tone: Tone;
  /** Why, in the API's words. */
  why: string;
  toDo: (typeof eventToDo)[string] | null;
}

/** The outcome of an event, and what a person can do about it. */
export function answerOf({ outcome, reason, text, result }: EventDetail): Answer {
  const status = result?.state ?? outcome ?? 'open';
  const why = result?.text ?? text;
  const code = result ? result.reason : reason;
  return {
    status,
    tone: toneOf(status),
    why,
    toDo: own(eventToDo, `${status}:${code}`) ?? own(eventToDo, status) ?? null,
  };
}

/** Outcomes of messages that a person may still let through. */
const kept = [
  'dropped_bot',
  'dropped_echo',
  'loop_paused',
  'held_unknown_sender',
  'blocked_contact',
  'ignored',
  'parked',
];

/** Messages of an event that were held and not released since. */
export function keptMessages({ messages }: EventDetail): string[] {
  return messages.filter(({ outcome, released_at }) => kept.includes(outcome) && !released_at).map(({ id }) => id);
}
