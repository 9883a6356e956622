import { createHash } from 'node:crypto';
import { isJsonObject, parseJson } from '#libs/adapter-sdk';

/**
 * Where a listing stands. The digest runs over every key and entity tag from the first one on, so that the digests of two
 * whole listings are equal when nothing has changed.
 */
export interface ListingCursor {
  /** Digest of the last whole listing; empty before there was one. */
  whole: string;
  /** Digest up to `after`; empty between two listings. */
  running: string;
  /** The last key that was handed out; empty between two listings. */
  after: string;
}

export const NO_LISTING: ListingCursor = { whole: '', running: '', after: '' };

/** The digest after one more object. A step of its own per object, so that the size of pages makes no difference. */
export function digestWith(running: string, object: { key: string; etag: string }): string {
  return createHash('sha256').update(`${running}\0${object.key}\0${object.etag}`).digest('base64url').slice(0, 27);
}

export function writeCursor(cursor: ListingCursor): string {
  return Buffer.from(JSON.stringify([1, cursor.whole, cursor.running, cursor.after])).toString('base64url');
}

/** Undefined for a text that `writeCursor` did not write. */
export function readCursor(text: string | null): ListingCursor | undefined {
  if (text === null) return NO_LISTING;
  const parsed = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parsed) || isJsonObject(parsed) || parsed.length !== 4 || parsed[0] !== 1) return undefined;
  const [, whole, running, after]: unknown[] = parsed;
  if (typeof whole !== 'string' || typeof running !== 'string' || typeof after !== 'string') return undefined;
  return { whole, running, after };
}
