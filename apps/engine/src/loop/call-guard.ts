import { createHash } from 'node:crypto';
import type { ToolCall } from '../model/model.js';
import { failure, type ToolFailure } from '../tools/tool.js';

/** Keeps a model from calling without end: counts calls, and calls that say the same again. */
export class CallGuard {
  private readonly seen = new Map<string, number>();
  private calls = 0;
  /** True once the model may call nothing more in this turn. */
  exhausted = false;

  constructor(private readonly maxCalls: number) {}

  /** @returns why the call is not made, or null */
  refuse(call: ToolCall): ToolFailure | null {
    this.calls += 1;
    const key = callKey(call);
    const times = (this.seen.get(key) ?? 0) + 1;
    this.seen.set(key, times);
    if (this.calls > this.maxCalls) {
      this.exhausted = true;
      return failure('tool_call_limit', `A turn may make ${this.maxCalls} calls: answer with what there is.`);
    }
    if (times >= 3) this.exhausted = true;
    return times >= 2 ? failure('repeated_call', 'The same call was made before: use its result.') : null;
  }
}

/** The same for calls that say the same, whatever the order of their keys. */
export function callKey({ name, arguments: args }: ToolCall): string {
  return createHash('sha256')
    .update(`${name} ${JSON.stringify(sorted(args))}`)
    .digest('base64');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}
