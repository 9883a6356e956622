import { fence, fenceExplanation } from '#libs/sanitizer';
import type { AttentionView } from '../attention/attention.dto.js';

/** What the tools report: facts of ours as JSON, a line each, and what others wrote between fences. */

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
type Facts = Record<string, unknown>;
interface Written {
  event_type?: string;
  sender?: string;
  text?: string;
}
export type ListedEventRead = Facts & Written & { id: string; app_id: string };
export interface EventRead extends Facts {
  id: string;
  app_id: string | null;
  timeline: (Facts & { app_id: string; detail: Facts | null })[];
  attempts: (Facts & { error: string | null })[];
  messages: (Facts & { id: string; app_id: string; verified: boolean; message: Written; verdicts: Facts[] })[];
  turns: Facts[];
  runs: Facts[];
  contacts: { id: string; name: string; status: string }[];
}
export type DeadLetterRead = Facts & { app_id: string; error: string | null; redrive_error: string | null };
export type ProblemRead = Facts & { app_id: string; error: string | null };

const textChars = 1_000;
const detailChars = 600;
/** Of each list in an event. Of a timeline, its beginning and its end say most. */
const mostEntries = 40;

export function reportEvents({ data, next_cursor: cursor }: Page<ListedEventRead>, mostChars: number): string {
  const parts = data.map((event) => {
    const { event_type: _type, sender: _sender, text: _text, ...facts } = event;
    return line(facts) + outside(event.app_id, event, false);
  });
  return bounded(`${counted(parts, 'event')}${following(cursor)}`, parts, mostChars);
}

export function reportEvent(event: EventRead, mostChars: number): string {
  const { timeline, attempts, messages, turns, runs, contacts, replays: _replays, continued: _on, ...facts } = event;
  const source = event.app_id ?? 'unknown';
  const parts = [
    ...messages.slice(0, mostEntries).map((one) => {
      const { id, outcome, reason, chief_of_staff, reply_withheld, contact_id, text_from, verdicts } = one;
      const shown = { message: id, outcome, reason, chief_of_staff, reply_withheld, contact_id, text_from };
      return (
        line({ ...shown, verdicts: verdicts.slice(0, mostEntries) }) + outside(one.app_id, one.message, one.verified)
      );
    }),
    ...ends(timeline).map(({ detail, app_id: _app, ...entry }) => {
      const detailed =
        detail === null ? '' : quoted(source, 'detail of this entry', JSON.stringify(detail).slice(0, detailChars));
      return line({ entry }) + detailed;
    }),
    ...attempts.slice(0, mostEntries).map(({ error, text, ...attempt }) => {
      return line({ attempts: text, ...attempt }) + quoted(source, 'what the other side said', error);
    }),
    ...turns
      .slice(0, mostEntries)
      .map(({ id, state, message_id, run_id }) => line({ turn: id, state, message_id, run_id })),
    ...runs.slice(0, mostEntries).map(({ id, state, reason, workflow_id, error }) => {
      return line({ run: id, state, reason, workflow_id }) + quoted(source, 'error of the run', error);
    }),
    ...contacts.slice(0, mostEntries).map(({ id, status, name }) => {
      return line({ contact: id, status }) + quoted(source, 'name of the contact', name);
    }),
  ];
  return bounded(line(facts), parts, mostChars);
}

export function reportDeadLetters({ data, next_cursor: cursor }: Page<DeadLetterRead>, mostChars: number): string {
  const parts = data.map(
    ({ error, redrive_error: redriven, organization_id: _org, project_id: _project, ...facts }) => {
      return (
        line(facts) + quoted(facts.app_id, 'error', error) + quoted(facts.app_id, 'error of the redrive', redriven)
      );
    },
  );
  return bounded(`${counted(parts, 'dead letter')}${following(cursor)}`, parts, mostChars);
}

export function reportProblems({ data }: { data: ProblemRead[] }, mostChars: number): string {
  const parts = data.map(
    ({ error, parts: _parts, ...facts }) => line(facts) + quoted(facts.app_id, 'newest error', error),
  );
  return bounded(counted(parts, 'problem'), parts, mostChars);
}

/** Its words are ours, with names and errors of others in them. */
export function reportAttention(items: AttentionView[], mostChars: number): string {
  const parts = items.map(({ text, what_to_do: todo, ...facts }) => {
    return line(facts) + quoted('gatehouse', 'what it says', `${text} ${todo}`);
  });
  return bounded(counted(parts, 'thing', 'needs attention', 'need attention'), parts, mostChars);
}

function counted(parts: string[], what: string, one = '', many = ''): string {
  if (parts.length === 0) return `No ${what}${one === '' ? '' : ` ${one}`}.`;
  const verb = parts.length === 1 ? one : many;
  return `${parts.length} ${what}${parts.length === 1 ? '' : 's'}${verb === '' ? '' : ` ${verb}`}.`;
}

const following = (cursor: string | null): string => (cursor === null ? '' : ` There are more: cursor ${cursor}`);

/** Null says nothing here, and a model reads every line. */
const line = (facts: object): string =>
  JSON.stringify(facts, (_key, value: unknown) => (value === null ? undefined : value));

function outside(source: string, { event_type: type, sender = '', text = '' }: Written, verified: boolean): string {
  const facts = type === undefined ? [] : [['event type', type] as const];
  return `\n${fence({ source, sender: sender || 'unknown', verified, facts, text: cut(text, textChars) })}`;
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
