import { createHash } from 'node:crypto';
import { isContainedPath, type ListChangesResult, OUTSIDE_ROOT } from './document-sources.js';

const CURSOR = /^whole:[0-9a-f]{64}$/;

/**
 * Answer of `listChanges` for a provider that lists everything and keeps no record of changes. The cursor is a digest
 * of the listing, so it stays the same while nothing changes. A listing that differs is `full`, and the platform
 * derives from the fingerprints what was added, modified and removed. Paths that leave the root are
 * left out, and said.
 */
export function wholeListing(
  documents: readonly { path: string; fingerprint: string }[],
  cursor: string | null,
): ListChangesResult {
  if (cursor !== null && !CURSOR.test(cursor)) {
    return { ok: false, error: 'cursor_expired', message: 'the cursor is not one of this adapter' };
  }
  const listed = documents
    .filter(({ path }) => isContainedPath(path))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const leftOut = documents.flatMap(({ path }) => (isContainedPath(path) ? [] : [{ path, error: OUTSIDE_ROOT }]));
  const reported = leftOut.length > 0 ? { left_out: leftOut } : {};
  const digest = createHash('sha256');
  for (const { path, fingerprint } of listed) digest.update(`${JSON.stringify([path, fingerprint])}\n`);
  const now = `whole:${digest.digest('hex')}`;
  if (cursor === now) return { changes: [], cursor, ...reported };
  const status = cursor === null ? ('added' as const) : ('modified' as const);
  const changes = listed.map(({ path, fingerprint }) => ({ path, fingerprint, status }));
  return { changes, cursor: now, full: true, ...reported };
}
