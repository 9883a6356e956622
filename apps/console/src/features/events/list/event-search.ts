import { flag, oneOf, searchOf, text } from '../../../app/search.js';

export const eventOutcomes = [
  'open',
  'routed',
  'dead',
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
] as const;

/** Spans back from now, in milliseconds. */
export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;
export type Span = keyof typeof spans;
export const spanNames = ['1h', '24h', '7d', '30d'] as const satisfies readonly Span[];

/** What the URL of the list says. */
export const validateEventSearch = searchOf({
  app: text,
  outcome: oneOf(eventOutcomes),
  type: text,
  sender: text,
  text,
  since: oneOf(spanNames),
  live: flag,
});
export type EventSearch = ReturnType<typeof validateEventSearch>;

/** The same as the API's parameters. */
export function eventQuery({ app, outcome, type, sender, text: part, since }: EventSearch) {
  return {
    app_id: app,
    outcome,
    event_type: type,
    sender,
    text: part,
    since: since && new Date(Date.now() - spans[since]).toISOString(),
  };
}
