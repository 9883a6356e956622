import { storableJson } from '#libs/database';
import { type JsonValue, sanitizeValue, type SanitizerReport } from '#libs/sanitizer';
import type { ToolCall } from '../model/model.js';

/** Far beyond what a model is shown: a bound on the work, for results that are mostly structure. */
const shape = { maxDepth: 64, maxEntries: 100_000 };

/**
 * What somebody outside wrote, as the model and the people who look at the turn may read it.
 * @param maxChars of each text: what is kept of a result at all
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
  /** The whole as text, when the model was shown less; `read_result` reads on in it. */
  full: string | null;
}

/**
 * A result as the model is shown it: whole, or its head, its tail and a handle for the rest.
 * @param handle by which `read_result` finds it
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

/** What the model, and whoever looks at the turn, reads of a call that a rehearsal does not make. */
export interface RehearsedResult {
  rehearsal: true;
  executed: false;
  note: string;
  tool: string;
  arguments: unknown;
  /** Outside a rehearsal a person would be asked first. */
  needs_approval?: true;
}

export function rehearsedResult(call: ToolCall, needsApproval: boolean): RehearsedResult {
  return {
    rehearsal: true,
    executed: false,
    note: 'not executed: rehearsal. The event is replayed without delivery, so nothing is changed.',
    tool: call.name,
    arguments: call.arguments,
    ...(needsApproval ? { needs_approval: true } : {}),
  };
}
