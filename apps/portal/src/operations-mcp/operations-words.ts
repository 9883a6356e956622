import type { AttentionView } from '../attention/attention.dto.js';
import { listRoom, pagedRoom, type PartList, sharedRoom } from './answer-room.js';
import { fromOutside, reported, type Written } from './facts-and-words.js';

/** What the tools answer: facts of ours as JSON, a line each, and what is in words between fences. */

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
type Facts = Record<string, unknown>;
interface Explained extends Facts {
  id: string;
  /** With the text of the result, if it has one. */
  why: string;
  result: (Facts & { text: string }) | null;
}
export type ListedEventRead = Explained & Written & { app_id: string };
interface MessageRead extends Written {
  /** Its text. */
  message?: string;
}
export interface EventRead extends Explained {
  app_id: string | null;
  timeline: (Facts & { app_id: string; detail: Facts | null })[];
  attempts: Facts[];
  messages: (Facts & { id: string; app_id: string; verified: boolean; message: MessageRead; verdicts: Facts[] })[];
  turns: Facts[];
  runs: Facts[];
  contacts: { id: string; name: string; status: string }[];
}
export type DeadLetterRead = Facts & { app_id: string };
export type ProblemRead = Facts & { app_id: string };

/** The lists of an event, in the order in which they say why nothing happened. */
export const eventLists = ['timeline', 'attempts', 'verdicts', 'messages', 'turns', 'runs', 'contacts'] as const;
export type EventList = (typeof eventLists)[number];

const detailChars = 450;

export function reportEvents({ data, next_cursor: cursor }: Page<ListedEventRead>, mostChars: number): string {
  const parts = data.map((event) => {
    const { event_type: _type, sender: _sender, text: _text, result, ...facts } = event;
    return reported(event.app_id, { ...facts, result: codesOf(result) }) + fromOutside(event.app_id, event, false);
  });
  return listRoom(`${counted(parts, 'event')}${following(cursor)}`, parts, mostChars);
}

/** @param only one of its lists, from this entry on; absent: of each as much as there is room for */
export function reportEvent(event: EventRead, mostChars: number, only?: { list: EventList; from: number }): string {
  const lists = listsOf(event);
  const { id, app_id, outcome, reason, state, why, incomplete } = event;
  if (only === undefined) {
    const facts = { id, app_id, state, outcome, reason, result: codesOf(event.result), why, incomplete };
    return sharedRoom(reported(app_id ?? 'unknown', facts), lists, mostChars);
  }
  const parts = lists.find(({ name }) => name === only.list)?.parts ?? [];
  const first = `${id} has ${parts.length} ${only.list}${parts.length > only.from ? `. From ${only.from}:` : '.'}`;
  return pagedRoom(first, parts, only.from, mostChars);
}

function codesOf(result: Explained['result']): Facts | null {
  if (result === null) return null;
  const { text: _text, ...codes } = result;
  return codes;
}

function listsOf({ app_id, timeline, attempts, messages, turns, runs, contacts }: EventRead): PartList[] {
  const source = app_id ?? 'unknown';
  const parts: Record<EventList, string[]> = {
    timeline: timeline.map(({ detail, app_id: _app, waited_for: _waited, ...entry }) => {
      const words = detail === null ? [] : [['detail', JSON.stringify(detail).slice(0, detailChars)] as const];
      return reported(source, { entry }, words);
    }),
    attempts: attempts.map(({ count, ...attempt }) => reported(source, { attempts: count, ...attempt })),
    verdicts: messages.flatMap(({ id, verdicts }) =>
      verdicts.map(({ trigger_id, workflow_id, verdict, reason }) => {
        const words = typeof reason === 'string' ? [['reason', reason] as const] : [];
        return reported(source, { verdict, message: id, trigger_id, workflow_id }, words);
      }),
    ),
    messages: messages.map((one) => {
      const { id, outcome, reason, chief_of_staff, reply_withheld, contact_id, text_from, unlisted_verdicts } = one;
      const shown = { outcome, reason, chief_of_staff, reply_withheld, contact_id, text_from, unlisted_verdicts };
      return (
        reported(one.app_id, { message: id, ...shown }) +
        fromOutside(one.app_id, { ...one.message, text: one.message.message }, one.verified)
      );
    }),
    turns: turns.map(({ id, state, message_id, run_id, session_id, collected_into }) =>
      reported(source, { turn: id, state, message_id, run_id, session_id, collected_into }),
    ),
    runs: runs.map(({ id, state, reason, workflow_id, error }) =>
      reported(source, { run: id, state, reason, workflow_id, error }),
    ),
    contacts: contacts.map(({ id, status, name }) => reported(source, { contact: id, status, name })),
  };
  const weights: Partial<Record<EventList, number>> = { timeline: 4, attempts: 2 };
  return eventLists.map((name) => ({ name, weight: weights[name] ?? 1, parts: parts[name] }));
}

export function reportDeadLetters({ data, next_cursor: cursor }: Page<DeadLetterRead>, mostChars: number): string {
  const parts = data.map(({ organization_id: _org, project_id: _project, ...facts }) => reported(facts.app_id, facts));
  return listRoom(`${counted(parts, 'dead letter')}${following(cursor)}`, parts, mostChars);
}

export function reportProblems({ data }: { data: ProblemRead[] }, from: number, mostChars: number): string {
  const parts = data.map(({ parts: _parts, ...facts }) => reported(facts.app_id, facts));
  return pagedRoom(counted(parts, 'problem'), parts, from, mostChars);
}

/** Its words are ours, with names and errors of others in them. */
export function reportAttention(items: AttentionView[], from: number, mostChars: number): string {
  const parts = items.map((item) => reported('gatehouse', item));
  return pagedRoom(parts.length === 0 ? 'Nothing needs attention.' : 'What needs attention:', parts, from, mostChars);
}

function counted(parts: string[], what: string): string {
  return parts.length === 0 ? `No ${what}.` : `${parts.length} ${what}${parts.length === 1 ? '' : 's'}.`;
}

const following = (cursor: string | null): string => (cursor === null ? '' : ` There are more: cursor ${cursor}`);
