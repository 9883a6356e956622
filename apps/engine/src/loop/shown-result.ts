import { storableJson } from '#libs/database';

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
