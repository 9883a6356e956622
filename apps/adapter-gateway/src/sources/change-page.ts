import {
  type ChangeRecord,
  CURSOR_MAX_BYTES,
  fieldProblems,
  isContainedPath,
  isJsonObject,
  kindOf,
  trueOrFalse,
  wholeNumberAsText,
} from '#libs/adapter-sdk';
import { withoutNulls } from '../path/adapters/answer-fields.js';
import { accessIn } from './access-in.js';
import type { PlaceAccess } from './source.entity.js';
import { SourceError, sourceFailure, storable } from './source-error.js';
import type { DocumentFailure } from './sync-run.entity.js';

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
  /** What is there and not among the changes. */
  leftOut: DocumentFailure[];
  /** Who may open everything there; null: as it was said before. */
  access: PlaceAccess | null;
}

/**
 * Reads an answer of `/sources/list-changes`, whose size only ADAPTER_MAX_RESPONSE_BYTES bounds; of two changes of one path, the later one counts.
 * @throws SourceError what the adapter says, or `contract_violation`
 */
export function changePage(answer: Record<string, unknown>): ChangePage {
  if (answer['ok'] === false) throw sourceFailure(answer, route);
  const given = withoutNulls(answer);
  const { changes, has_more: hasMore, full } = given;
  const cursor = wholeNumberAsText(given['cursor']);
  const [problem] = fieldProblems(given, {}, { has_more: trueOrFalse, full: trueOrFalse });
  if (problem) throw violation(`${problem.field} ${problem.message}`);
  if (!Array.isArray(changes)) throw violation(`changes must be a list, not ${kindOf(changes)}`);
  if (typeof cursor !== 'string') throw violation(`cursor must be a text, not ${kindOf(cursor)}`);
  if (Buffer.byteLength(cursor) > CURSOR_MAX_BYTES) {
    throw violation(`cursor has ${Buffer.byteLength(cursor)} bytes: a cursor has at most ${CURSOR_MAX_BYTES}`);
  }
  if (cursor.includes('\0')) throw violation('cursor contains U+0000');
  const byPath = new Map<string, ChangeRecord>();
  for (const [index, entry] of (changes as unknown[]).entries()) {
    const change = changeRecord(entry, `changes[${index}]`);
    byPath.set(change.path, change);
  }
  return {
    changes: [...byPath.values()],
    cursor,
    hasMore: hasMore === true,
    full: typeof full === 'boolean' ? full : null,
    leftOut: leftOutOf(given['left_out']),
    access: placeAccess(given['access']),
  };
}

function placeAccess(value: unknown): PlaceAccess | null {
  const access = accessIn(value, { route, permanent: true });
  return access && { ...access, note: isJsonObject(value) ? storable(value['note'], 500) : null };
}

/** It is only shown, so what is malformed in it breaks nothing. */
function leftOutOf(value: unknown): DocumentFailure[] {
  return (Array.isArray(value) ? (value as unknown[]) : []).filter(isJsonObject).map(({ path, error }) => ({
    path: storable(path, maxPathBytes) ?? '?',
    error: storable(error, 500) ?? 'the adapter left it out',
  }));
}

/** @param at its place in the page, for errors */
function changeRecord(value: unknown, at: string): ChangeRecord {
  if (!isJsonObject(value)) throw violation(`${at} must be an object, not ${kindOf(value)}`);
  const { path, fingerprint, status } = value;
  if (typeof path !== 'string') throw violation(`${at}.path must be a text, not ${kindOf(path)}`);
  if (!isContainedPath(path) || !path.isWellFormed()) {
    throw violation(`${at}.path is not a path below the root`);
  }
  if (Buffer.byteLength(path) > maxPathBytes) throw violation(`${at}.path has more than ${maxPathBytes} bytes`);
  if (status !== 'added' && status !== 'modified' && status !== 'removed') {
    const given = typeof status === 'string' ? JSON.stringify(status.slice(0, 40)) : kindOf(status);
    throw violation(`${at}.status must be added, modified or removed, not ${given}`);
  }
  // Providers number their versions, and their pages.
  const known = wholeNumberAsText(fingerprint ?? null);
  if (known !== null && typeof known !== 'string') {
    throw violation(`${at}.fingerprint must be a text, not ${kindOf(known)}`);
  }
  if (known !== null && known.length > maxFingerprint) {
    throw violation(`${at}.fingerprint has ${known.length} characters: one has at most ${maxFingerprint}`);
  }
  if (known?.includes('\0')) throw violation(`${at}.fingerprint contains U+0000`);
  return { path, fingerprint: status === 'removed' ? null : known, status };
}

function violation(what: string): SourceError {
  return new SourceError('contract_violation', `${route}: ${what}`, true);
}
