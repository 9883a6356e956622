import { isContainedPath, type ChangeRecord, type ListChangesCall, type ListChangesResult } from '#libs/adapter-sdk';
import { readBucketPath, type BucketPath } from './bucket-path.js';
import { listObjects, type ListedObject } from './list-objects.js';
import { digestWith, readCursor, writeCursor } from './listing-cursor.js';
import type { S3Http } from './s3-request.js';
import { readStore } from './s3-store.js';

export interface ListingSettings extends S3Http {
  /** Keys in one request, at most 1000. */
  pageSize: number;
  /** Requests in one call: up to this many pages are compared before anything is reported. */
  pagesPerCall: number;
}

/** Stands for the digest of a bucket without objects. */
const EMPTY = 'empty';

/**
 * Lists the whole root, since S3 keeps no record of changes: `full`, so that the platform tells by fingerprint what is new and
 * what is gone. A root that fits into one call and has not changed is answered with no changes and the same cursor.
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
    if ('error' in listed)
      return { ok: false, error: listed.error, ...(listed.message && { message: listed.message }) };
    for (const object of listed.objects) {
      running = digestWith(running, object);
      after = object.key;
      objects.push(object);
    }
    truncated = listed.truncated;
  }
  if (truncated) {
    const cursor = writeCursor({ whole: start.whole, running, after });
    return { changes: changesOf(objects, root, start.whole), cursor, has_more: true, full: true };
  }
  if (running === '' && root.prefix !== '') {
    // A folder is there as long as something lies in it.
    return { ok: false, error: 'not_found', message: 'nothing lies below this folder' };
  }
  const whole = running === '' ? EMPTY : running;
  const cursor = writeCursor({ whole, running: '', after: '' });
  const unchanged = start.after === '' && whole === start.whole;
  // No changes in a listing marked as full would say that every document is gone.
  return unchanged ? { changes: [], cursor } : { changes: changesOf(objects, root, start.whole), cursor, full: true };
}

function changesOf(objects: readonly ListedObject[], root: BucketPath, before: string): ChangeRecord[] {
  return objects.flatMap(({ key, etag }) => {
    const path = key.slice(root.prefix.length);
    // Markers of folders are no files; a path that leads out of its root could never be fetched.
    if (path.endsWith('/') || !isContainedPath(path)) return [];
    return [{ path, fingerprint: etag, status: before === '' ? ('added' as const) : ('modified' as const) }];
  });
}
