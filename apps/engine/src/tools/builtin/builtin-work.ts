import type { ToolGrade } from '#libs/contracts';
import type { BoundCredentials } from '../bound-credentials.js';
import type { CallSite } from '../tool.js';

/** The implementation of a built-in; the contracts have its definition. What is absent is taken from the definition. */
export interface BuiltinWork {
  external: boolean;
  /** Whether a result is untrusted content; absent: it is if `external` is true. */
  untrusted?(result: unknown): boolean;
  /** Why a read exceeds what an untrusted sender's turn may do; absent: it never does. */
  beyond?(args: Record<string, unknown>, hosts: readonly string[], credentials: BoundCredentials): string | null;
  grade?(args: Record<string, unknown>): ToolGrade;
  idempotent?(args: Record<string, unknown>): boolean;
  /** What people have to know about a call with this result; absent: nothing. */
  noted?(result: unknown): string | null;
  /** The part of a result that is compared with an earlier one; absent: all of it. */
  compared?(result: unknown): unknown;
  run(args: Record<string, unknown>, call: CallSite, credentials: BoundCredentials): Promise<unknown>;
}
