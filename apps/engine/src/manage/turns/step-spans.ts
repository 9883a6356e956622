import type { Step } from '../../entities/turn.entity.js';

/** A step as it is shown. */
export interface ShownStep extends Pick<Step, 'seq' | 'content' | 'tokens' | 'duration_ms'> {
  kind: string;
  cost_micros: number | null;
  began_at: string | null;
  failed: boolean;
  created_at: string;
}

/** Steps as they are shown, each with the time in which it was done. @param steps of one turn, in order */
export function stepViews(steps: Step[]): ShownStep[] {
  const begun = beginnings(steps);
  return steps.map((step) => {
    const {
      seq,
      kind,
      content: { full: _full, thoughts: _thoughts, images, ...content },
      tokens,
      duration_ms,
      created_at,
    } = step;
    const cost = content['cost_micros'];
    return {
      seq,
      kind,
      content: Array.isArray(images) ? { ...content, images: images.length } : content,
      tokens,
      duration_ms,
      cost_micros: typeof cost === 'number' ? cost : null,
      began_at: begun.get(seq)?.toISOString() ?? null,
      failed: hasFailed(step),
      created_at: created_at.toISOString(),
    };
  });
}

/**
 * Steps are stored together, so several have the time of one statement. Calls of tools are made at once and end with it;
 * a call of the model ends where the next one of them begins.
 */
function beginnings(steps: Step[]): Map<number, Date> {
  const begun = new Map<number, Date>();
  let [storedMs, nextMs] = [0, 0];
  for (const { seq, kind, created_at, duration_ms: took } of steps.toReversed()) {
    if (took === null) continue;
    const atMs = created_at.getTime();
    const isTogether = atMs === storedMs;
    const beginMs = (isTogether && kind === 'model_call' ? nextMs : atMs) - took;
    begun.set(seq, new Date(beginMs));
    nextMs = isTogether ? Math.min(nextMs, beginMs) : beginMs;
    storedMs = atMs;
  }
  return begun;
}

function hasFailed({ kind, content }: Step): boolean {
  if (kind === 'model_call') return content['discarded'] !== undefined;
  const result = content['result'];
  if (kind !== 'tool_result' || typeof result !== 'object' || result === null) return false;
  const { error, is_error: isError } = result as { error?: unknown; is_error?: unknown };
  return isError === true || (typeof error === 'object' && error !== null && 'code' in error);
}
