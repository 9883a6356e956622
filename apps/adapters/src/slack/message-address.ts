import { textOf } from '../provider-calls/json-fields.js';

/** Names a message, not a webhook: an `app_mention`, its `message` twin and every retry give the same key. */
export function messageKey(team: string, channel: string, ts: string, ...rest: string[]): string {
  return ['slack', team, channel, ts, ...rest].join(':');
}

/**
 * The thread that a reply belongs to. In a channel a reply opens a thread under the message that it answers. A direct
 * message is flat, unless the message is in a thread already.
 */
export function replyThread(message: { thread_ts?: unknown }, ts: string, isDm: boolean): string | undefined {
  return textOf(message.thread_ts) ?? (isDm ? undefined : ts);
}

/** Slack's `1531420618.000200`: seconds and a counter that makes it unique in its channel. */
export function timeOf(ts: string): string | undefined {
  const seconds = /^\d{1,11}(?:\.\d{1,9})?$/.test(ts) ? Number(ts) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : new Date(seconds * 1000).toISOString();
}
