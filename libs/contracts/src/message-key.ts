import { hash } from 'node:crypto';
import type { NormalizedMessage } from './message.js';

/** What a message is known by in its App. @param index its position in the receipt, which names it without a dedup key */
export function dedupKeyOf(receiptId: string, { dedup_key: key }: NormalizedMessage, index: number): string {
  return key ?? `receipt:${receiptId}:${index}`;
}

/** The digest of App and dedup key, by which a message is claimed and its job is known: a key may be of any length. */
export function messageKey(appId: string, dedupKey: string): string {
  return digest(`${appId} ${dedupKey}`);
}

/** The key of the job that routes the messages of one receipt: that of its message, or of their list. */
export function routeKey(appId: string, receiptId: string, messages: readonly NormalizedMessage[]): string {
  const keys = messages.map((message, index) => messageKey(appId, dedupKeyOf(receiptId, message, index)));
  return keys.length === 1 && keys[0] !== undefined ? keys[0] : digest(keys.join(' '));
}

/** The first half of a SHA-256, as a UUID: with short keys of one length, the index of 30 days stays in memory. */
function digest(text: string): string {
  const hex = hash('sha256', text);
  return [0, 8, 12, 16, 20].map((from, n) => hex.slice(from, [8, 12, 16, 20, 32][n])).join('-');
}
