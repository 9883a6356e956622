import { flag, oneOf, searchOf, text } from '../../../app/search.js';
import { answer, api, type Schema } from '../../../api/client.js';
import type { Page } from '../../../api/project-query.js';

/** How an event ended, if not merely as routed. `open`: not ended yet. */
export const eventOutcomes = [
  'open',
  'no_match',
  'held_unknown_sender',
  'parked',
  'blocked_contact',
  'loop_paused',
  'ignored',
  'duplicate',
  'dropped_bot',
  'dropped_echo',
  'challenge',
  'verification',
  'handed_on',
  'dead',
] as const;

/** The results of routed events. */
export const eventResults = [
  'delivered',
  'no_reply',
  'waiting',
  'working',
  'delivering',
  'failed',
  'undelivered',
  'unconfirmed',
  'expired',
  'handled',
  'cancelled',
] as const;

/** Time spans back from now, in milliseconds. */
const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;
type Span = keyof typeof spans;
export const spanNames = ['1h', '24h', '7d', '30d'] as const satisfies readonly Span[];

/** The URL parameters of the list. `since` is a span or, like `until`, a time. */
export const validateEventSearch = searchOf({
  view: oneOf(['refused']),
  app: text,
  outcome: oneOf([...eventOutcomes, ...eventResults]),
  type: text,
  sender: text,
  contact: text,
  text,
  since: text,
  until: text,
  paused: flag,
  // Every list has this. Here it also decides what is prefetched.
  sort: text,
});
export type EventSearch = ReturnType<typeof validateEventSearch>;
export type EventListFilter = Omit<EventSearch, 'view' | 'paused' | 'sort'>;

/** The same as parameters of the API. */
function eventQuery({ app, outcome, type, sender, contact, text: part, since, until }: EventListFilter) {
  return {
    app_id: app,
    outcome: eventOutcomes.find((one) => one === outcome),
    result: eventResults.find((one) => one === outcome),
    event_type: type,
    sender,
    contact_id: contact,
    text: part,
    since: since && timeOf(since),
    until: until && timeOf(until),
  };
}

const isSpan = (value: string): value is Span => Object.hasOwn(spans, value);

/** @param value a span back from now, or a time */
function timeOf(value: string): string | undefined {
  const at = isSpan(value) ? Date.now() - spans[value] : Date.parse(value);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

const pageSize = 100;
type Order = 'desc' | 'asc';

export const eventListKey = (filter: EventListFilter, order: Order): readonly unknown[] => [
  'event-list',
  filter,
  order,
];

/** A page of the events that match a filter. */
export const askEvents =
  (filter: EventListFilter, order: Order) =>
  (cursor: string | undefined, signal?: AbortSignal): Promise<Page<Schema<'EventView'>>> => {
    const query = { ...eventQuery(filter), order, limit: pageSize, cursor };
    return answer(api.GET('/api/v1/events', { params: { query }, signal }));
  };
