import type { ToolGrade } from '#libs/contracts';
import type { BoundCredentials } from '../bound-credentials.js';
import type { CallSite } from '../tool.js';

/** What a built-in does; its definition is in the contracts. What is absent is as the definition says. */
export interface BuiltinWork {
  external: boolean;
  /** Whether a result is untrusted content; absent: each is where `external` is true. */
  untrusted?(result: unknown): boolean;
  /** What of a call that reads is beyond the turn of an untrusted sender; absent: nothing. */
  beyond?(args: Record<string, unknown>, hosts: readonly string[], credentials: BoundCredentials): string | null;
  grade?(args: Record<string, unknown>): ToolGrade;
  idempotent?(args: Record<string, unknown>): boolean;
  /** What of a result tells it from another one; absent: all of it. */
  compared?(result: unknown): unknown;
  run(args: Record<string, unknown>, call: CallSite, credentials: BoundCredentials): Promise<unknown>;
}
