import { firstId, terminalOutcomes, type TerminalOutcome } from '#libs/contracts';
import { type EventQuery, eventResults, type EventResultState } from '#libs/journal';
import { OneOf, OrderedQuery, Problem, Text } from '#libs/service-kit';
import type { MessageFilter } from './message-fact.repository.js';

const eventOutcomes = [...terminalOutcomes.filter((outcome) => outcome !== 'refused'), 'open'] as const;

/** The criteria by which lists and bulk replays select events; all have to hold. */
export class EventFilter extends OrderedQuery {
  @Text(100, { optional: true }) app_id?: string;
  @OneOf(eventOutcomes, { optional: true, description: 'Outcome of the event; open: it has not ended' })
  outcome?: TerminalOutcome | 'open';
  @OneOf(eventResults, { optional: true, description: 'Result of a routed event' })
  result?: EventResultState;
  @Text(200, { optional: true, minLength: 1 }) event_type?: string;
  @Text(500, { optional: true, minLength: 1, description: 'The full sender, as the message names it' })
  sender?: string;
  @Text(100, { optional: true, description: 'Messages whose sender belonged to this contact when they arrived' })
  contact_id?: string;
  @Text(40, { optional: true, description: 'Received at this time or later (RFC 3339)' }) since?: string;
  @Text(40, { optional: true, description: 'Received before this time (RFC 3339)' }) until?: string;
  @Text(200, { optional: true, minLength: 2, description: 'Part of the text, ignoring case' }) text?: string;
}

/** @throws Problem 422 for an invalid time */
export function journalFilter(
  filter: EventFilter,
): Pick<EventQuery, 'appId' | 'outcome' | 'fromId' | 'toId' | 'cursor' | 'order'> {
  const [since, until] = [timeOf('since', filter.since), timeOf('until', filter.until)];
  return {
    appId: filter.app_id ?? null,
    outcome: filter.outcome === undefined || filter.outcome === 'open' ? null : filter.outcome,
    fromId: since && firstId('evt', since),
    toId: until && firstId('evt', until),
    cursor: filter.cursor ?? null,
    order: filter.order,
  };
}

/** Null when no criterion concerns messages. */
export function messageFilter(filter: EventFilter): MessageFilter | null {
  const { event_type: eventType, sender, contact_id: contactId, text } = filter;
  if ([eventType, sender, contactId, text].every((one) => one === undefined)) return null;
  return { eventType: eventType ?? null, sender: sender ?? null, contactId: contactId ?? null, text: text ?? null };
}

/** @throws Problem 422 */
export function timeOf(field: string, value: string | undefined): Date | null {
  if (value === undefined) return null;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time) && time >= 0) return new Date(time);
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [
    { field, message: 'must be a time like 2026-01-31T12:00:00Z' },
  ]);
}
