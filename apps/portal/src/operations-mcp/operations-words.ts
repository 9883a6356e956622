import { fence, fenceExplanation } from '#libs/sanitizer';
import type { AttentionView } from '../attention/attention.dto.js';

/** What the tools answer: facts of ours as JSON, a line each, and what others wrote between fences. */

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
type Facts = Record<string, unknown>;
export type ListedEventRead = Facts & { app_id: string; event_type?: string; sender?: string; text?: string };
interface MessageRead extends Facts {
  id: string;
  app_id: string;
  verified: boolean;
  message: { event_type?: string; sender?: string; message?: string };
  verdicts: Facts[];
}
export interface EventRead extends Facts {
  app_id: string | null;
  timeline: Facts[];
  attempts: Facts[];
  messages: MessageRead[];
  turns: Facts[];
  runs: Facts[];
  contacts: Facts[];
}
export type DeadLetterRead = Facts & { app_id: string };
export type ProblemRead = Facts & { app_id: string };

/**
 * The fields of an answer that are ours: ids, states, times, numbers and codes. All others are left out or fenced, those of
 * later releases too.
 */
const ours = {
  event: ['id', 'app_id', 'received_at', 'outcome', 'reason', 'result', 'state', 'why', 'incomplete'],
  message: ['id', 'outcome', 'reason', 'chief_of_staff', 'reply_withheld', 'contact_id', 'text_from'],
  verdict: ['trigger_id', 'workflow_id', 'verdict', 'reason'],
  entry: [
    'at',
    'service',
    'stage',
    'outcome',
    'terminal',
    'reason',
    'subject_id',
    'attempt',
    'duration_ms',
    'waited_ms',
    'waited_for',
  ],
  attempts: ['stage', 'subject_id', 'outcome', 'reason', 'count', 'attempt', 'from', 'to'],
  turn: ['id', 'state', 'message_id', 'run_id', 'session_id', 'collected_into'],
  run: ['id', 'state', 'reason', 'workflow_id', 'waiting_until'],
  contact: ['id', 'status'],
  letter: [
    'id',
    'at',
    'app_id',
    'receipt_id',
    'stage',
    'subject_id',
    'reason',
    'state',
    'redriven_at',
    'outcome',
    'drives',
    'next_at',
  ],
  problem: [
    'id',
    'app_id',
    'stage',
    'reason',
    'state',
    'count',
    'open',
    'people',
    'first_seen',
    'last_seen',
    'last_event_id',
  ],
  attention: ['code', 'severity', 'resource', 'count', 'since', 'muted_until'],
} as const;

const textChars = 1_000;
const detailChars = 600;
/** Of each list in an event. Of a timeline, its beginning and its end say most. */
const mostEntries = 40;
const code = /^[\w.:-]{1,100}$/;

export function reportEvents({ data, next_cursor: cursor }: Page<ListedEventRead>, mostChars: number): string {
  const parts = data.map((event) => line('event', event) + written(event.app_id, event, event.text, false));
  return bounded(`${counted(parts, 'event')}${following(cursor)}`, parts, mostChars);
}

export function reportEvent(event: EventRead, mostChars: number): string {
  const source = event.app_id ?? 'unknown';
  const first = <T>(list: T[]): T[] => list.slice(0, mostEntries);
  const parts = [
    ...first(event.messages).flatMap(({ message, verdicts, ...one }) => [
      line('message', one, source) + written(one.app_id, message, message.message, one.verified),
      ...first(verdicts).map((verdict) => line('verdict', verdict, source)),
    ]),
    ...ends(event.timeline).map((entry) => {
      const detail = entry['detail'] ? JSON.stringify(entry['detail']).slice(0, detailChars) : null;
      return line('entry', entry, source) + quoted(source, 'detail of this entry', detail);
    }),
    ...first(event.attempts).map(
      (attempts) => line('attempts', attempts, source) + quoted(source, 'what the last attempt got', attempts['error']),
    ),
    ...first(event.turns).map((turn) => line('turn', turn)),
    ...first(event.runs).map((run) => line('run', run, source) + quoted(source, 'error of the run', run['error'])),
    ...first(event.contacts).map(
      (contact) => line('contact', contact) + quoted(source, 'name of the contact', contact['name']),
    ),
  ];
  return bounded(line('event', event, source), parts, mostChars);
}

export function reportDeadLetters({ data, next_cursor: cursor }: Page<DeadLetterRead>, mostChars: number): string {
  const parts = data.map((letter) => {
    const errors = [quoted(letter.app_id, 'error', letter['error'])];
    return [
      line('letter', letter, letter.app_id),
      ...errors,
      quoted(letter.app_id, 'error of the redrive', letter['redrive_error']),
    ].join('');
  });
  return bounded(`${counted(parts, 'dead letter')}${following(cursor)}`, parts, mostChars);
}

export function reportProblems({ data }: { data: ProblemRead[] }, mostChars: number): string {
  const parts = data.map(
    (problem) => line('problem', problem, problem.app_id) + quoted(problem.app_id, 'newest error', problem['error']),
  );
  return bounded(counted(parts, 'problem'), parts, mostChars);
}

/** Its words are ours, with names and errors of others in them. */
export function reportAttention(items: AttentionView[], mostChars: number): string {
  const parts = items.map(
    (item) => line('attention', { ...item }) + quoted('gatehouse', 'what it is', `${item.text} ${item.what_to_do}`),
  );
  return bounded(parts.length === 0 ? 'Nothing needs attention.' : 'What needs attention:', parts, mostChars);
}

function counted(parts: string[], what: string): string {
  return parts.length === 0 ? `No ${what}.` : `${parts.length} ${what}${parts.length === 1 ? '' : 's'}.`;
}

const following = (cursor: string | null): string => (cursor === null ? '' : ` There are more: cursor ${cursor}`);

/** What is ours of it, without nulls; a reason that is no code may be somebody's words. */
function line(kind: keyof typeof ours, facts: Facts, source = 'unknown'): string {
  const { reason } = facts;
  const isCode = typeof reason !== 'string' || code.test(reason);
  const shown = ours[kind].filter((name) => name !== 'reason' || isCode).map((name) => [name, facts[name]] as const);
  const known = Object.fromEntries(shown.filter(([, value]) => value !== null && value !== undefined));
  return `${kind} ${JSON.stringify(known)}${isCode ? '' : quoted(source, 'reason', reason)}`;
}

function written(
  source: string,
  { event_type: type, sender }: { event_type?: string; sender?: string },
  text: string | undefined,
  verified: boolean,
): string {
  const facts = type === undefined ? [] : [['event type', type] as const];
  return `\n${fence({ source, sender: sender || 'unknown', verified, facts, text: cut(text ?? '', textChars) })}`;
}

function quoted(source: string, what: string, text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  return `\n${fence({ source, sender: what, verified: false, text: cut(text, textChars) })}`;
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`);

function ends<T>(entries: T[]): T[] {
  if (entries.length <= mostEntries) return entries;
  return [...entries.slice(0, mostEntries / 2), ...entries.slice(-mostEntries / 2)];
}

/** As many parts as fit, whole, and how many are left out. */
function bounded(first: string, parts: string[], mostChars: number): string {
  const head = `${fenceExplanation}\n\n${first}`;
  const room = mostChars - 100;
  const reported = [head];
  let length = head.length;
  for (const part of parts) {
    length += part.length + 2;
    if (length > room) break;
    reported.push(part);
  }
  const left = parts.length - (reported.length - 1);
  if (left > 0) reported.push(`${left} more are left out: the answer would be too long. Ask for less.`);
  return reported.join('\n\n');
}
