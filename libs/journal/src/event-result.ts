import { wordsOfTurnReason } from '#libs/contracts';
import { adapterWait } from './adapter-wait.js';
import type { LatestEntry } from './latest-entries.js';

/**
 * What became of a routed event: the worst state among its turns, in this order. `undelivered`: a reply could not be
 * delivered. `unconfirmed`: nobody knows whether it arrived. `expired`: it would have come too late. `waiting`: for what
 * `reason` names. `handled`: by a person. Lists, pages and conversations all show this one.
 */
export const eventResults = [
  'failed',
  'undelivered',
  'unconfirmed',
  'expired',
  'waiting',
  'working',
  'delivering',
  'delivered',
  'no_reply',
  'handled',
  'cancelled',
] as const;
export type EventResultState = (typeof eventResults)[number];

export interface EventResult {
  state: EventResultState;
  /** A code: why it failed, waits or sent nothing. */
  reason: string | null;
  /** RFC 3339: until when it waits, or when the next attempt is. */
  until: string | null;
  /** State and reason in words. */
  text: string;
}

/** A turn with its own last entry; null: nothing has been recorded yet. */
export interface EventTurn {
  id: string;
  last: LatestEntry | null;
}

type Detail = LatestEntry['detail'] | undefined;
type Result = Omit<EventResult, 'text'> & {
  /** What adds to the words of the reason: the names of tools, or what a model answered. */
  more?: string | null;
};

const words: Readonly<Record<EventResultState, string>> = {
  failed: 'A turn failed. Its dead letter can be redriven.',
  undelivered: 'A reply could not be delivered. Its dead letter can be redriven.',
  unconfirmed: 'It is unknown whether a reply arrived. Settle this at its delivery.',
  expired: 'A reply was not sent, because it would have come too late.',
  waiting: 'A turn is waiting.',
  working: 'A turn is in progress.',
  delivering: 'The reply is being delivered.',
  delivered: 'Every reply was delivered.',
  no_reply: 'No reply was sent.',
  handled: 'A person handled it.',
  cancelled: 'It was cancelled.',
};

const erasedWords = 'A reply was not sent, because the data of its reader was erased.';
const sentLater = 'The reply waits to be sent again.';

/** What a reply waits for that only a person can do. It is sent as soon as that is done, at no certain time. */
const replyWaits: Readonly<Record<string, string>> = {
  credentials_missing: 'The reply waits until its App is linked to the credential that is missing.',
  not_connected: 'The reply waits until the credential of its App is connected.',
  needs_reconnect: 'The reply waits until the credential of its App is connected again.',
  revoked: 'The reply waits until the credential of its App, which was revoked, is connected again.',
  credential_undecryptable: 'The reply waits until the credential of its App can be opened, or is stored again.',
  credential_not_found: 'The reply waits until its App is linked to another credential: the one it had was deleted.',
};

const waitWords: Readonly<Record<string, string>> = {
  session_busy: 'Another turn of its session comes first, or a person has taken the session over.',
  workflow_held: 'Its workflow is suspended, or waits for more messages.',
};

/**
 * @param turns of the event, or those that answer them together with others; not empty
 * @param latest the last entries of their deliveries
 */
export function eventResult(turns: EventTurn[], latest: LatestEntry[]): EventResult {
  const results = turns.map((turn) => ofTurn(turn, latest));
  const worst = results.toSorted((a, b) => eventResults.indexOf(a.state) - eventResults.indexOf(b.state))[0];
  const { state, reason, until, more = null } = worst ?? plain('working');
  const why = wordsOfTurnReason(reason) ?? (reason === null ? null : (waitWords[reason] ?? null));
  if (state === 'delivering' && reason !== null) {
    return { state, reason, until, text: more ?? replyWaits[reason] ?? sentLater };
  }
  const what = state === 'expired' && reason === 'erased' ? erasedWords : words[state];
  return { state, reason, until, text: [what, why, more].filter((part) => part !== null).join(' ') };
}

function ofTurn({ last }: EventTurn, latest: LatestEntry[]): Result {
  const { reason = null, detail } = last ?? {};
  switch (last?.outcome) {
    case 'dead':
      return { ...plain('failed'), reason, more: answered(detail) };
    case 'failed':
      return plain('cancelled');
    case 'succeeded':
      if (reason === 'handled_by_person') return plain('handled');
      return detail?.['reply'] === 'none' ? { ...plain('no_reply'), reason } : ofDelivery(last, latest);
    case 'held': {
      const until = detail?.['until'];
      const more = reason === 'waiting_approval' ? toolsOf(detail) : answered(detail);
      return { state: 'waiting', reason, until: typeof until === 'string' ? until : null, more };
    }
    case 'retrying':
      return { ...plain('waiting'), reason, more: answered(detail) };
    default:
      return plain('working');
  }
}

/** What a model or service answered, as the engine recorded it: without secrets, and cut. */
function answered(detail: Detail): string | null {
  const error = detail?.['error'];
  return typeof error === 'string' && error !== '' ? `It said: ${error.replace(/\.$/, '')}.` : null;
}

/** The tools that wait for a person. */
function toolsOf(detail: Detail): string | null {
  const tools = detail?.['tools'];
  return Array.isArray(tools) && tools.length > 0 ? `The tool: ${tools.join(', ')}.` : null;
}

/** The state of the turn's answer, from the delivery whose id the end of the turn names. */
function ofDelivery({ reason, detail }: LatestEntry, latest: LatestEntry[]): Result {
  const last = latest.find((entry) => entry.stage === 'delivery' && entry.subject_id === detail?.['delivery_id']);
  if (last?.outcome === 'delivered') return { ...plain('delivered'), reason };
  if (last?.outcome === 'dead') return { ...plain('undelivered'), reason: last.reason };
  if (last?.outcome === 'unknown') return { ...plain('unconfirmed'), reason: last.reason };
  if (last?.outcome === 'expired') return { ...plain('expired'), reason: last.reason };
  const nextAt = last?.detail?.['next_at'];
  if (last?.outcome !== 'retrying' || typeof nextAt !== 'string') return plain('delivering');
  // Not every attempt has an entry: a time that has passed is not that of the next one.
  const known = (last.reason === null || !(last.reason in replyWaits)) && Date.parse(nextAt) > Date.now();
  const adapter = adapterWait(last);
  const more = adapter === null ? null : `The reply waits for ${adapter}.`;
  return { state: 'delivering', reason: last.reason, until: known ? nextAt : null, more };
}

function plain(state: EventResultState): Result {
  return { state, reason: null, until: null };
}
