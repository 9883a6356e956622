import type { ContentTrust, ToolGrade } from '#libs/contracts';
import type { BoundCredentials } from '../bound-credentials.js';
import type { CallSite } from '../tool.js';

/** The implementation of a built-in; the contracts have its definition. What is absent is taken from the definition. */
export interface BuiltinWork {
  external: boolean;
  /** How far a result is trusted; absent: `untrusted` if `external` is true, else `own`. */
  trustOf?(result: unknown, args: Record<string, unknown>, credentials: BoundCredentials): ContentTrust;
  /** An address that a call would reach and that is none of these hosts; absent: there never is one. */
  elsewhere?(args: Record<string, unknown>, hosts: readonly string[]): string | null;
  grade?(args: Record<string, unknown>): ToolGrade;
  idempotent?(args: Record<string, unknown>): boolean;
  /** What people have to know about a call with this result; absent: nothing. */
  noted?(result: unknown): string | null;
  /** The part of a result that is compared with an earlier one; absent: all of it. */
  compared?(result: unknown): unknown;
  run(args: Record<string, unknown>, call: CallSite, credentials: BoundCredentials): Promise<unknown>;
}
