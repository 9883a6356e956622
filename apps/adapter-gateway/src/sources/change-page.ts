import { CURSOR_MAX_BYTES, isContainedPath, isJsonObject, type ChangeRecord } from '#libs/adapter-sdk';
import { SourceError, sourceFailure } from './source-error.js';

const route = '/sources/list-changes';
const maxPathBytes = 2_000;
const maxFingerprint = 500;

/** One page of a listing. */
export interface ChangePage {
  changes: ChangeRecord[];
  cursor: string;
  hasMore: boolean;
  /** Null when the page does not say. */
  full: boolean | null;
}

/**
 * Reads an answer of `/sources/list-changes`; of two changes of one path the later counts.
 * @throws SourceError what the adapter says, or `contract_violation`
 */
export function changePage(answer: Record<string, unknown>, maxChanges: number): ChangePage {
  if (answer['ok'] === false) throw sourceFailure(answer, route);
  const { changes, cursor, has_more: hasMore, full } = answer;
  if (!Array.isArray(changes)) throw violation('changes is not a list');
  if (changes.length > maxChanges) throw violation(`a page has more than ${maxChanges} changes`);
  if (typeof cursor !== 'string' || Buffer.byteLength(cursor) > CURSOR_MAX_BYTES || cursor.includes('\0')) {
    throw violation(`cursor is not a text of at most ${CURSOR_MAX_BYTES} bytes`);
  }
  const byPath = new Map<string, ChangeRecord>();
  for (const entry of changes as unknown[]) {
    const change = changeRecord(entry);
    byPath.set(change.path, change);
  }
  return {
    changes: [...byPath.values()],
    cursor,
    hasMore: hasMore === true,
    full: typeof full === 'boolean' ? full : null,
  };
}

function changeRecord(value: unknown): ChangeRecord {
  if (!isJsonObject(value)) throw violation('a change is not an object');
  const { path, fingerprint, status } = value;
  if (typeof path !== 'string' || !isContainedPath(path) || !path.isWellFormed()) {
    throw violation('a path is not one below the root');
  }
  if (Buffer.byteLength(path) > maxPathBytes) throw violation(`a path is over ${maxPathBytes} bytes`);
  if (status !== 'added' && status !== 'modified' && status !== 'removed') {
    throw violation('a status is not added, modified or removed');
  }
  const known = fingerprint === undefined || fingerprint === null ? null : fingerprint;
  if (known !== null && (typeof known !== 'string' || known.length > maxFingerprint || known.includes('\0'))) {
    throw violation(`a fingerprint is not a text of at most ${maxFingerprint} characters`);
  }
  return { path, fingerprint: status === 'removed' ? null : known, status };
}

function violation(what: string): SourceError {
  return new SourceError('contract_violation', `${route}: ${what}`, true);
}
