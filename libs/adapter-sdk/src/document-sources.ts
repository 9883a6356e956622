import type { CallContext, Credentials } from './call-context.js';
import { isJsonObject } from './json-value.js';

/** Change record (contract 2.7). A rename is a removal and an addition. */
export interface ChangeRecord {
  path: string;
  /** Entity tag or hash; null for a removed file. */
  fingerprint: string | null;
  status: 'added' | 'modified' | 'removed';
}

export interface ListChangesCall {
  credentials: Credentials;
  resource_path: string;
  /** Null on the first call, then the value of the previous answer. */
  cursor: string | null;
  context: CallContext;
}

/** A document that the provider has and the platform cannot read, such as a key that leads out of its root. */
export interface LeftOutDocument {
  path: string;
  /** Why, in words. */
  error: string;
}

/**
 * Who may open everything below a `resource_path`. A provider that keeps this for the whole place says it here: when it
 * changes, no document is fetched again. `note`: what could not be found out, in words for people.
 */
export type PlaceAccess = FileAccess & { note?: string };

/**
 * `has_more`: call again at once. `full`: a complete listing, from which the platform infers deletions. `left_out`: what
 * is there and not among the changes; a run counts it as failed and shows it. `access`: what holds from now on, also
 * without changes; what was said last holds until then.
 */
export type ListChangesResult =
  | {
      changes: ChangeRecord[];
      cursor: string;
      has_more?: boolean;
      full?: boolean;
      left_out?: LeftOutDocument[];
      access?: PlaceAccess;
    }
  | SourceFailure;

export interface FetchFileCall {
  credentials: Credentials;
  resource_path: string;
  /** Relative, and without `..`: the server refuses traversal before the handler sees it. */
  file_path: string;
  context: CallContext;
}

/**
 * Who may open a document at its source: `everyone`; `known`, which are those whom the project knows; or `listed`, the
 * `readers`: addresses of people, and `group:<name>`.
 */
export type FileAccess = { audience: 'everyone' | 'known' } | { audience: 'listed'; readers: string[] };

/** Without `access` the source does not say, and the project's setting holds. The fingerprint changes with it. */
export type FetchFileResult =
  | { bytes: Buffer; content_type?: string; fingerprint?: string; access?: FileAccess }
  | { content_base64: string; content_type?: string; size?: number; fingerprint?: string; access?: FileAccess }
  | SourceFailure;

export const SOURCE_ERRORS = [
  'cursor_expired',
  'not_found',
  'auth_failed',
  'permission_denied',
  'rate_limited',
  'provider_unavailable',
  'too_large',
] as const;

/** `not_found` is also the answer for a missing root: an empty listing would delete every document. */
export interface SourceFailure {
  ok: false;
  error: (typeof SOURCE_ERRORS)[number];
  message?: string;
  /** Seconds after which the provider wants to be asked again. */
  retry_after?: number;
}

export interface DocumentSource {
  listChanges(call: ListChangesCall): Promise<ListChangesResult> | ListChangesResult;
  fetchFile(call: FetchFileCall): Promise<FetchFileResult> | FetchFileResult;
}

/** Whether a value is a change record: a removed file has no fingerprint, any other has one. */
export function isChangeRecord(value: unknown): value is ChangeRecord {
  if (!isJsonObject(value) || typeof value.path !== 'string') return false;
  if (value.status === 'removed') return value.fingerprint === null;
  return (value.status === 'added' || value.status === 'modified') && typeof value.fingerprint === 'string';
}

/** Why a path that leaves its root is left out. */
export const OUTSIDE_ROOT = 'the path leads out of its folder, or is none';

/** The largest cursor that the platform stores, in UTF-8 bytes. */
export const CURSOR_MAX_BYTES = 4096;

/** Whether a path stays under its root: relative, `/` separated, no `..`, no drive, no NUL. */
export function isContainedPath(path: string): boolean {
  if (path === '' || path.startsWith('/') || /[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return !path.split('/').some((segment) => segment === '..' || segment === '.');
}
