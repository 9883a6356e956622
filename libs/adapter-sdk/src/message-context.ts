/** What was said before a message, and its sender did not write with it: the thread, the answered message, the issue. */
export interface ContextMessage {
  /** What it is to the message: an earlier one of its thread, the one that it answers, or the issue above a comment. */
  kind: 'thread' | 'reply' | 'subject';
  message: string;
  sender?: { id?: string; name?: string };
  message_id?: string;
  /** RFC 3339, UTC. */
  timestamp?: string;
  /** The agent wrote it. */
  is_self?: boolean;
}

export const CONTEXT_MAX_MESSAGES = 20;
const MAX_CHARS = 2_000;
const MAX_ALL_CHARS = 16_000;

/**
 * The fields of the metadata for what was said before a message, oldest first; none without any. Bounded: the first one,
 * which says what it is about, and the latest ones.
 */
export function contextFields(messages: readonly ContextMessage[]): {
  context?: ContextMessage[];
  context_left_out?: number;
} {
  const written = messages.filter(({ message }) => message.trim() !== '').map(shortened);
  const [first, ...rest] = written;
  if (!first) return {};
  const latest: ContextMessage[] = [];
  let chars = first.message.length;
  for (const entry of rest.toReversed()) {
    chars += entry.message.length;
    if (latest.length >= CONTEXT_MAX_MESSAGES - 1 || chars > MAX_ALL_CHARS) break;
    latest.unshift(entry);
  }
  const leftOut = rest.length - latest.length;
  return { context: [first, ...latest], ...(leftOut > 0 && { context_left_out: leftOut }) };
}

function shortened(entry: ContextMessage): ContextMessage {
  const { message } = entry;
  return message.length <= MAX_CHARS
    ? entry
    : { ...entry, message: `${message.slice(0, MAX_CHARS).toWellFormed()} […]` };
}
