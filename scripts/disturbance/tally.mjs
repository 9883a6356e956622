// What became of the messages that were sent while an installation was disturbed, and the table that says so.

/**
 * @typedef {object} Message
 * @property {number} sentAt
 * @property {number} ackedAt
 * @property {string} id of the event; empty until a request was acknowledged
 * @property {string[]} refused why each request before was not
 * @property {number} refusedAt the last of them
 */

/**
 * @typedef {object} Reply the replies to one event
 * @property {number} at the first
 * @property {number} keys how many deliveries, by their idempotency keys: one that is repeated counts once
 */

/** A reply that takes longer came late. */
const LATE_MS = 5_000;

/**
 * @param {Message[]} messages
 * @param {Record<string, Reply>} replies by the event's id
 * @param {number} since when the disturbance began
 */
export function tally(messages, replies, since) {
  const acknowledged = messages.filter(({ id }) => id !== '');
  const replied = acknowledged.flatMap((message) => {
    const reply = replies[message.id];
    return reply ? [{ ...message, ...reply }] : [];
  });
  const took = replied.map(({ at, sentAt }) => at - sentAt).sort((one, other) => one - other);
  const share = (/** @type {number} */ part) => took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? 0;
  const tries = messages.flatMap(({ refused }) => refused);
  const late = replied.filter(({ at, sentAt }) => at - sentAt > LATE_MS).map(({ at }) => at);
  const ends = [...messages.map(({ refusedAt }) => refusedAt), ...late].filter((when) => when > since);
  return {
    sent: messages.length,
    acknowledged: acknowledged.length,
    // Two messages that became one event.
    merged: acknowledged.length - new Set(acknowledged.map(({ id }) => id)).size,
    refused: messages.filter(({ refused }) => refused.length > 0).length,
    why: Object.fromEntries([...new Set(tries)].map((why) => [why, tries.filter((each) => each === why).length])),
    lost: messages.length - replied.length,
    missing: acknowledged
      .filter(({ id }) => !replies[id])
      .map(({ id }) => id)
      .slice(0, 5),
    doubled: replied.filter(({ keys }) => keys > 1).length,
    p50: share(0.5),
    p99: share(0.99),
    longest: took.at(-1) ?? 0,
    // Until the last refusal, and the last reply that came late.
    overMs: ends.reduce((latest, when) => Math.max(latest, when), since) - since,
  };
}

/** @typedef {ReturnType<typeof tally>} Tally */

/** The columns of `cells`. */
export const head = [
  'While',
  'sent',
  'acknowledged',
  'lost',
  'refused',
  'doubled',
  'reply p50 s',
  'p99 s',
  'longest s',
  'over after s',
  'took s',
];

const seconds = (/** @type {number} */ ms) => (ms / 1_000).toFixed(1);

/** @param {string} title @param {Tally} seen @param {number} tookMs how long the disturbance took */
export const cells = (title, seen, tookMs) => [
  title,
  seen.sent,
  seen.acknowledged,
  seen.lost,
  seen.refused,
  seen.doubled,
  ...[seen.p50, seen.p99, seen.longest, seen.overMs, tookMs].map(seconds),
];

/** Refused ones are sent again, as providers do: they count against a row only where it promises that none is. @param {Tally} seen */
export const faults = ({ lost, doubled, merged }) => lost + doubled + merged;
