import { storableJson } from '#libs/database';
import { type JsonValue, sanitizeValue, type SanitizerReport } from '#libs/sanitizer';
import type { ToolCall } from '../model/model.js';

/** Far beyond what a model is shown. It bounds the work on results that are mostly structure. */
const shape = { maxDepth: 64, maxEntries: 100_000 };

/**
 * Sanitises a result from outside for the model and for people who view the turn.
 * @param maxChars of each text: as much as is kept of a result
 */
export function cleanResult(result: unknown, maxChars: number): { result: JsonValue; sanitized: Sanitized | null } {
  const { value, report } = sanitizeValue(result, { ...shape, maxChars, maxLines: maxChars });
  const { counts, cut } = report;
  return { result: value, sanitized: cut > 0 || Object.keys(counts).length > 0 ? { counts, cut } : null };
}

/** How often each rule acted, and how many characters or entries were cut. */
type Sanitized = Pick<SanitizerReport, 'counts' | 'cut'>;

export interface ShownResult {
  /** What the model reads. */
  shown: unknown;
  /** The whole result as text when the model was shown less; `read_result` reads from it. */
  full: string | null;
}

/**
 * The result as the model is shown it: whole, or its head, its tail and a handle for the rest.
 * @param handle for `read_result`
 * @param limits in characters of its JSON
 */
export function shownResult(result: unknown, handle: string, limits: { shown: number; kept: number }): ShownResult {
  const text = storableJson(result ?? null);
  if (text.length <= limits.shown) return { shown: result ?? null, full: null };
  const full = text.slice(0, limits.kept);
  const head = Math.floor(limits.shown * 0.6);
  const tail = Math.floor(limits.shown * 0.2);
  return {
    shown: {
      truncated: true,
      handle,
      chars: full.length,
      head: full.slice(0, head),
      tail: full.slice(-tail),
      note: `Call read_result with this handle and an offset from ${head} on to read the rest.`,
    },
    full,
  };
}

/** The result of a call that a rehearsal did not make, for the model and for people who view the turn. */
export interface RehearsedResult {
  rehearsal: true;
  executed: false;
  note: string;
  tool: string;
  arguments: unknown;
  /** Outside a rehearsal, a person would be asked first. */
  needs_approval?: true;
}

export function rehearsedResult(call: ToolCall, needsApproval: boolean): RehearsedResult {
  return {
    rehearsal: true,
    executed: false,
    note: 'not executed: rehearsal. Nothing is sent and nothing is changed.',
    tool: call.name,
    arguments: call.arguments,
    ...(needsApproval ? { needs_approval: true } : {}),
  };
}
