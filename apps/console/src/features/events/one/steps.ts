import { Bot, FileJson, Inbox, type LucideIcon, RotateCcw, Route, Send, ShieldCheck } from 'lucide-react';
import type { Schema } from '../../../api/client.js';
import { eventPageTexts } from '../../../texts/event.js';
import { keyed } from '../../../ui/keyed.js';
import { size } from '../../../ui/numbers.js';
import { type Tone, toneOf } from '../../../ui/status-badge.js';

export type Entry = Schema<'EventEntryView'>;
export type EventDetail = Schema<'EventDetailView'>;

/** A step on an event's timeline: one entry, or all entries of one turn or one delivery. */
export interface Step {
  key: string;
  stage: Entry['stage'];
  /** A message, a turn or a delivery. */
  subject: string | null;
  /** Oldest first; never empty. */
  entries: [Entry, ...Entry[]];
  last: Entry;
  startMs: number;
  endMs: number;
  /** Oldest first: the first may lie before the step's start. */
  waits: Wait[];
}

/** Time in which nobody worked on the step. */
export interface Wait {
  fromMs: number;
  toMs: number;
  /** As words that follow a duration; null: nobody knows. */
  what: string | null;
}

/** @param entries oldest first */
export function stepsOf(entries: readonly Entry[]): Step[] {
  const steps = new Map<string, Step>();
  for (const { key: ownKey, row: entry } of keyed(entries, keyOf)) {
    const together = (entry.stage === 'turn' || entry.stage === 'delivery') && entry.subject_id !== null;
    const key = together ? `${entry.stage}-${entry.subject_id}` : ownKey;
    const known = steps.get(key);
    steps.set(key, known ? extended(known, entry) : begun(key, entry));
    if (entry.stage === 'received' && saysOfSignature(entry, entries))
      steps.set(`checked-${key}`, checkedAtOnce(`checked-${key}`, entry));
  }
  return [...steps.values()];
}

/** What an entry says of itself; the URL has the keys of steps, separated by dots. */
const keyOf = ({ stage, at, subject_id: subject }: Entry): string =>
  [stage, Date.parse(at), ...(subject === null ? [] : [subject.replaceAll('.', '_')])].join('-');

/** Where the adapter checks signatures, its own entry says how that ended; until then, that it does. */
function saysOfSignature({ detail }: Entry, entries: readonly Entry[]): boolean {
  if (!detail || !('scheme' in detail)) return false;
  return detail['scheme'] !== null || !entries.some(({ stage }) => stage === 'verified');
}

/** A signature is checked while the request is received, so the check is in that entry. */
function checkedAtOnce(key: string, entry: Entry): Step {
  const atMs = Date.parse(entry.at);
  return { ...begun(key, entry), stage: 'verified', startMs: atMs, endMs: atMs, waits: [] };
}

function begun(key: string, entry: Entry): Step {
  const { stage, subject_id: subject } = entry;
  const [startMs, endMs] = spanOf(entry);
  return { key, stage, subject, entries: [entry], last: entry, startMs, endMs, waits: waitBefore(entry) };
}

function waitBefore(entry: Entry): Wait[] {
  if (!entry.waited_ms) return [];
  const [toMs] = spanOf(entry);
  return [{ fromMs: toMs - entry.waited_ms, toMs, what: entry.waited_for }];
}

/** How long somebody or something worked on a step. */
export function workedMs({ startMs, endMs, waits }: Step): number {
  const inside = waits.filter(({ fromMs }) => fromMs >= startMs);
  return Math.max(0, endMs - startMs - inside.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0));
}

function extended(step: Step, entry: Entry): Step {
  const [startMs, endMs] = spanOf(entry);
  return {
    ...step,
    entries: [...step.entries, entry],
    last: entry,
    // Between two entries of one step it works, unless it waited for something that has a name.
    waits: entry.waited_for === null ? step.waits : [...step.waits, ...waitBefore(entry)],
    startMs: Math.min(step.startMs, startMs),
    endMs: Math.max(step.endMs, endMs),
  };
}

function spanOf({ at, duration_ms: took }: Entry): [number, number] {
  const endMs = Date.parse(at);
  return [endMs - (took ?? 0), endMs];
}

/** The time that bars are drawn over: from the first byte to the last entry. */
export interface Axis {
  startMs: number;
  /** At least 1. */
  spanMs: number;
}

export function axisOf(steps: readonly Step[]): Axis {
  const startMs = Math.min(...steps.map((step) => step.startMs));
  const endMs = Math.max(...steps.map((step) => step.endMs));
  return { startMs, spanMs: Math.max(1, endMs - startMs) };
}

/** Where a time is on an axis, from 0 to 1. */
export const shareOn =
  ({ startMs, spanMs }: Axis) =>
  (ms: number): number =>
    Math.min(1, Math.max(0, (ms - startMs) / spanMs));

/** Waits with what they were for, each name once. */
export function namedWaits(waits: readonly Wait[]): { what: string; times: number; ms: number }[] {
  const named = waits.flatMap(({ what, fromMs, toMs }) => (what === null ? [] : [{ what, ms: toMs - fromMs }]));
  return [...Map.groupBy(named, ({ what }) => what)].map(([what, alike]) => ({
    what,
    times: alike.length,
    ms: alike.reduce((sum, { ms }) => sum + ms, 0),
  }));
}

/** What a turn or a delivery tried, by the server: attempts in a row that ended alike are one. */
export const attemptsOf = ({ subject, stage }: Step, { attempts }: EventDetail): Schema<'AttemptsView'>[] =>
  attempts.filter((one) => one.stage === stage && one.subject_id === subject);

/** A detail of an entry, if it is a text or a number. */
export function fact(entry: Entry, name: string): string | null {
  const value = entry.detail?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

interface Look {
  icon: LucideIcon;
  title: string;
  status: string | null;
  tone: Tone;
  sentence: string;
}

const icons: Readonly<Record<Step['stage'], LucideIcon>> = {
  received: Inbox,
  verified: ShieldCheck,
  parsed: FileJson,
  routed: Route,
  turn: Bot,
  delivery: Send,
};

/** How a step looks in one line. @param nameOf of who asked for a replay */
export function stepLook(step: Step, event: EventDetail, nameOf: (subject: string) => string): Look {
  const { stage, last } = step;
  const replayed = last.outcome === 'replayed';
  return {
    icon: replayed ? RotateCcw : icons[stage],
    title: eventPageTexts.stages[stage],
    status: quietStatuses.includes(last.outcome) ? null : last.outcome,
    tone: toneOf(last.outcome),
    sentence: replayed ? eventPageTexts.replayedBy(nameOf(fact(last, 'by') ?? '')) : sentences[stage](step, event),
  };
}

/** An expected outcome needs no badge. */
const quietStatuses = ['accepted', 'ok'];

const sentences: Readonly<Record<Step['stage'], (step: Step, event: EventDetail) => string>> = {
  received: ({ last }) => {
    if (fact(last, 'schedule_id') !== null) return eventPageTexts.bySchedule;
    const bytes = fact(last, 'bytes');
    return bytes === null
      ? eventPageTexts.byApi
      : eventPageTexts.bytesFrom(size(Number(bytes)), fact(last, 'from') ?? '');
  },
  verified: ({ last }) => {
    const error = fact(last, 'error');
    if (error) return error;
    const scheme = last.stage === 'verified' && last.outcome === 'ok' ? last.reason : fact(last, 'scheme');
    if (scheme === null) return eventPageTexts.adapterVerifies;
    return scheme === 'none' ? eventPageTexts.notVerified : eventPageTexts.verifiedBy(scheme);
  },
  parsed: ({ last }) => {
    const error = fact(last, 'error');
    const messages = Number(fact(last, 'messages') ?? 0);
    if (error) return error;
    return messages > 0
      ? eventPageTexts.parsedAs(messages, fact(last, 'event_type') ?? '')
      : eventPageTexts.nothingParsed;
  },
  routed: ({ last }, event) => {
    if (last.outcome === 'routed') return takersOf(last, event) ?? event.text;
    return last.terminal ? event.text : (fact(last, 'advice') ?? fact(last, 'error') ?? '');
  },
  turn: (step, event) => {
    const model = fact(step.last, 'model');
    return fact(step.last, 'error') ?? (model === null ? repeated(step, event) : eventPageTexts.byModel(model));
  },
  delivery: (step, event) => repeated(step, event) || (fact(step.last, 'error') ?? fact(step.last, 'text') ?? ''),
};

/** Attempts that ended alike, in short: `12 × 500 in 80 s`. */
const repeated = (step: Step, event: EventDetail): string =>
  attemptsOf(step, event)
    .flatMap(({ count, text }) => (count > 1 ? [text] : []))
    .join(', ');

/** What a message was routed to, in words. */
function takersOf({ subject_id }: Entry, { messages }: EventDetail): string | null {
  const message = messages.find(({ id }) => id === subject_id);
  if (!message) return null;
  const matched = message.verdicts.filter(({ verdict }) => verdict === 'matched').length;
  const takers = [
    ...(message.message.workflow_id === undefined ? [] : [eventPageTexts.theWorkflow]),
    ...(matched > 0 ? [eventPageTexts.triggers(matched)] : []),
    ...(message.chief_of_staff === 'taken' ? [eventPageTexts.theChief] : []),
  ];
  return takers.length === 0 ? null : eventPageTexts.routedTo(takers.join(eventPageTexts.and));
}
