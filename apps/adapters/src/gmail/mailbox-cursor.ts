import { parseJson } from '#libs/adapter-sdk';

/** Where the reading of a label stands: within the first listing, or at a point of the mailbox's history. */
export interface MailboxCursor {
  historyId: string;
  mode: 'listing' | 'history';
  /** Empty at the start of a listing or of a run through the history. */
  pageToken: string;
}

const MAX_TOKEN_LENGTH = 2_000;

export function writeCursor({ historyId, mode, pageToken }: MailboxCursor): string {
  return Buffer.from(JSON.stringify([1, mode, historyId, pageToken])).toString('base64url');
}

/** Undefined for a text that `writeCursor` did not write. */
export function readCursor(text: string): MailboxCursor | undefined {
  const parsed = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parsed) || parsed.length !== 4) return undefined;
  const [version, mode, historyId, pageToken]: unknown[] = parsed;
  if (version !== 1 || (mode !== 'listing' && mode !== 'history')) return undefined;
  if (typeof historyId !== 'string' || !/^\d{1,30}$/.test(historyId)) return undefined;
  if (typeof pageToken !== 'string' || pageToken.length > MAX_TOKEN_LENGTH) return undefined;
  return { historyId, mode, pageToken };
}
