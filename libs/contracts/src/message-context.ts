import type { NormalizedMessage } from './message.js';

/** What was said before a message, as its adapter found it. */
export interface ContextEntry {
  kind: string;
  message: string;
  sender?: { id?: string; name?: string };
  timestamp?: string;
}

/** What was said before a message, oldest first; what is not of that shape is left out. */
export function contextOf(metadata: NormalizedMessage['metadata']): ContextEntry[] {
  const given = metadata?.['context'];
  return Array.isArray(given) ? given.filter(isEntry) : [];
}

/** Whether its sender only passed it on. */
export function isForwarded({ metadata }: Pick<NormalizedMessage, 'metadata'>): boolean {
  return metadata?.['forwarded_from'] !== undefined;
}

/**
 * Whether a message brings words that its sender did not write, so that its sender's trust does not cover them: of the
 * thread, of the message that it answers, or of one that it passes on.
 */
export function hasWordsOfOthers({ sender, metadata = {} }: NormalizedMessage): boolean {
  if (isForwarded({ metadata })) return true;
  const named = metadata['sender'];
  const id = isRecord(named) ? named['id'] : undefined;
  return contextOf(metadata).some(({ sender: by }) => by?.id === undefined || (by.id !== sender && by.id !== id));
}

function isEntry(value: unknown): value is ContextEntry {
  if (!isRecord(value) || typeof value['message'] !== 'string' || typeof value['kind'] !== 'string') return false;
  const { sender, timestamp } = value;
  return (sender === undefined || isSender(sender)) && (timestamp === undefined || typeof timestamp === 'string');
}

function isSender(value: unknown): boolean {
  return isRecord(value) && ['id', 'name'].every((field) => ['string', 'undefined'].includes(typeof value[field]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
