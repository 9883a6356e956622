import { createHash } from 'node:crypto';

/** Longer than what any mail program writes, short enough for a thread's references to fit a header. */
const MAX_ID_LENGTH = 250;
const MAX_REFERENCES = 12;

/** The Message-IDs in a `References`, `In-Reply-To` or `Message-ID` value, in order, without malformed ones. */
export function messageIdsIn(text: string | undefined): string[] {
  return ((text ?? '').slice(0, 64 * 1024).match(/<[^<>\s]+>/g) ?? []).filter(
    (id) => id.length <= MAX_ID_LENGTH && /^<[\x21-\x7e]+>$/.test(id),
  );
}

/** The thread's first Message-ID and its latest ones, so that the header does not grow with the conversation. */
export function boundedReferences(ids: readonly string[]): string[] {
  const distinct = [...new Set(ids)];
  return distinct.length <= MAX_REFERENCES
    ? distinct
    : [...distinct.slice(0, 1), ...distinct.slice(1 - MAX_REFERENCES)];
}

/** A Message-ID that is the same for the same key and part, so that a mailbox can detect a repeated part. */
export function messageIdFor(key: string, part: number, domain: string): string {
  const digest = createHash('sha256').update(`${key}\0${part}`).digest('hex').slice(0, 40);
  return `<${digest}@${domain}>`;
}
