import type { ToolDescription } from '../model/model.js';

export type ToolGrade = 'read' | 'write';

/** What the model is told of a call that gave nothing: a code and a short text, never an exception's message. */
export interface ToolFailure {
  error: { code: string; message: string };
}

/** A capability an agent may call. */
export interface Tool extends ToolDescription {
  /** How much a call with these (valid) arguments can change. */
  grade(args: Record<string, unknown>): ToolGrade;
  /** True when a second call with the same arguments does no more than the first. */
  idempotent(args: Record<string, unknown>): boolean;
  /** Never throws for what the other side does; only for `signal`. */
  run(args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
}

export function failure(code: string, message: string): ToolFailure {
  return { error: { code, message } };
}
