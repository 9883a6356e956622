import type { CallContext, Credentials } from './call-context.js';

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

/** `has_more`: call again at once. `full`: a complete listing, from which the platform infers deletions. */
export type ListChangesResult =
  { changes: ChangeRecord[]; cursor: string; has_more?: boolean; full?: boolean } | SourceFailure;

export interface FetchFileCall {
  credentials: Credentials;
  resource_path: string;
  /** Relative, and without `..`: the server refuses traversal before the handler sees it. */
  file_path: string;
  context: CallContext;
}

export type FetchFileResult =
  | { bytes: Buffer; content_type?: string; fingerprint?: string }
  | { content_base64: string; content_type?: string; size?: number; fingerprint?: string }
  | SourceFailure;

/** `not_found` is also the answer for a root that is gone: an empty listing would delete every document. */
export interface SourceFailure {
  ok: false;
  error:
    | 'cursor_expired'
    | 'not_found'
    | 'auth_failed'
    | 'permission_denied'
    | 'rate_limited'
    | 'provider_unavailable'
    | 'too_large';
  message?: string;
}

export interface DocumentSource {
  listChanges(call: ListChangesCall): Promise<ListChangesResult> | ListChangesResult;
  fetchFile(call: FetchFileCall): Promise<FetchFileResult> | FetchFileResult;
}

/** The largest cursor that the platform stores, in UTF-8 bytes. */
export const CURSOR_MAX_BYTES = 4096;

/** Whether a path stays under its root: relative, `/` separated, no `..`, no drive, no NUL. */
export function isContainedPath(path: string): boolean {
  if (path === '' || path.startsWith('/') || /[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return !path.split('/').some((segment) => segment === '..' || segment === '.');
}
