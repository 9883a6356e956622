import {
  isContainedPath,
  OUTSIDE_ROOT,
  type LeftOutDocument,
  type ChangeRecord,
  type ListChangesCall,
  type ListChangesResult,
  isJsonObject,
  parseJson,
} from '#libs/adapter-sdk';
import { createHash } from 'node:crypto';
import { readBucketPath, type BucketPath } from './bucket-path.js';
import { listObjects, type ListedObject } from './list-objects.js';
import { sourceFailureOf } from './s3-failure.js';
import type { S3Http } from './s3-request.js';
import { readStore } from './s3-store.js';

/**
 * How far a listing has come. The digest covers every key and entity tag from the first one on, so the digests of two
 * whole listings are equal when nothing has changed.
 */
interface ListingCursor {
  /** Digest of the last whole listing; empty before there was one. */
  whole: string;
  /** Digest up to `after`; empty between two listings. */
  running: string;
  /** The last key that was handed out; empty between two listings. */
  after: string;
}

const NO_LISTING: ListingCursor = { whole: '', running: '', after: '' };

export interface ListingSettings extends S3Http {
  /** Keys in one request, at most 1000. */
  pageSize: number;
  /** Requests in one call: that many pages are compared before anything is reported. */
  pagesPerCall: number;
}

/** Stands for the digest of a bucket without objects. */
const EMPTY = 'empty';

/**
 * Lists the whole root, since S3 keeps no record of changes: it is `full`, so that the platform finds new and removed
 * files by fingerprint. For a root that fits into one call and has not changed, the answer has no changes and the same
 * cursor.
 */
export async function listChanges(call: ListChangesCall, settings: ListingSettings): Promise<ListChangesResult> {
  const store = readStore(call.credentials);
  if ('problem' in store) return { ok: false, error: 'auth_failed', message: store.problem };
  const root = readBucketPath(call.resource_path);
  if (!root) return { ok: false, error: 'not_found', message: 'resource_path must be a bucket, or bucket/folder' };
  const start = readCursor(call.cursor);
  if (!start) return { ok: false, error: 'cursor_expired', message: 'the cursor is not one of this adapter' };

  const objects: ListedObject[] = [];
  let { running, after } = start;
  let truncated = true;
  for (let page = 0; truncated && page < settings.pagesPerCall; page++) {
    const listed = await listObjects(store, root, { after, pageSize: settings.pageSize }, settings);
    if ('error' in listed) return sourceFailureOf(listed);
    for (const object of listed.objects) {
      running = digestWith(running, object);
      after = object.key;
      objects.push(object);
    }
    truncated = listed.truncated;
  }
  const reported = leftOut(objects, root);
  if (truncated) {
    const cursor = writeCursor({ whole: start.whole, running, after });
    return { changes: changesOf(objects, root, start.whole), cursor, has_more: true, full: true, ...reported };
  }
  if (running === '' && root.prefix !== '') {
    // A folder exists as long as something is in it.
    return { ok: false, error: 'not_found', message: 'there is nothing below this folder' };
  }
  const whole = running === '' ? EMPTY : running;
  const cursor = writeCursor({ whole, running: '', after: '' });
  const unchanged = start.after === '' && whole === start.whole;
  // A full listing without changes would mean that every document is gone.
  if (unchanged) return { changes: [], cursor, ...reported };
  return { changes: changesOf(objects, root, start.whole), cursor, full: true, ...reported };
}

function changesOf(objects: readonly ListedObject[], root: BucketPath, before: string): ChangeRecord[] {
  return objects.flatMap(({ key, etag }) => {
    const path = key.slice(root.prefix.length);
    // Folder markers are no files; a path that leads out of its root could never be fetched.
    if (path.endsWith('/') || !isContainedPath(path)) return [];
    return [{ path, fingerprint: etag, status: before === '' ? ('added' as const) : ('modified' as const) }];
  });
}

/** Folder markers are no documents; any other key that is not among the changes is said. */
function leftOut(objects: readonly ListedObject[], root: BucketPath): { left_out?: LeftOutDocument[] } {
  const keys = objects.map(({ key }) => key.slice(root.prefix.length));
  const odd = keys.filter((path) => !path.endsWith('/') && !isContainedPath(path));
  return odd.length === 0 ? {} : { left_out: odd.map((path) => ({ path, error: OUTSIDE_ROOT })) };
}

/** The digest after one more object. It advances object by object, so that the page size makes no difference. */
function digestWith(running: string, object: { key: string; etag: string }): string {
  return createHash('sha256').update(`${running}\0${object.key}\0${object.etag}`).digest('base64url').slice(0, 27);
}

function writeCursor(cursor: ListingCursor): string {
  return Buffer.from(JSON.stringify([1, cursor.whole, cursor.running, cursor.after])).toString('base64url');
}

/** Undefined for a text that `writeCursor` did not write. */
function readCursor(text: string | null): ListingCursor | undefined {
  if (text === null) return NO_LISTING;
  const parsed = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parsed) || isJsonObject(parsed) || parsed.length !== 4 || parsed[0] !== 1) return undefined;
  const [, whole, running, after]: unknown[] = parsed;
  if (typeof whole !== 'string' || typeof running !== 'string' || typeof after !== 'string') return undefined;
  return { whole, running, after };
}
