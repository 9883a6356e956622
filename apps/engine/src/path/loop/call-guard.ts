import { createHash } from 'node:crypto';
import type { ToolCall } from '../model/model.js';
import { checkCodes } from '../tools/turn-powers.js';
import { failure, isFailure, type ToolFailure } from '../tools/tool.js';

/** How often one call was made. */
interface Seen {
  /** Begun and without a result so far. */
  open: number;
  /** Identical results in a row. */
  same: number;
  last: string | null;
  refused: number;
  /** How often a check rejected it. */
  mistakes: number;
}

/** Keeps a model from calling endlessly: counts all calls, and repetitions of the same call. */
export class CallGuard {
  private readonly seen = new Map<string, Seen>();
  private calls = 0;
  /** True once the model may call nothing more in this turn. */
  exhausted = false;

  /** @param maxSameReads how often in a row a read may give one result; another result restarts the count */
  constructor(
    private readonly maxCalls: number,
    private readonly maxSameReads: number,
  ) {}

  /**
   * @param reads the call changes nothing, so it may be repeated: what it reads may have changed
   * @returns why the call is not made, or null
   */
  refuse(call: ToolCall, reads: boolean): ToolFailure | null {
    this.calls += 1;
    const seen = this.of(call);
    if (this.calls > this.maxCalls) {
      this.exhausted = true;
      return this.overLimit();
    }
    if (seen.open + seen.same < (reads ? this.maxSameReads : 1)) {
      seen.open += 1;
      return null;
    }
    this.repeated(seen);
    const message = reads
      ? `The same call was answered alike ${this.maxSameReads} times: use that result.`
      : 'The same call was made before: use its result.';
    return failure(repeatedCode, message);
  }

  /** Counts a call that failed its checks. @returns a failure once the turn is over its limit, or null */
  mistaken(call: ToolCall): ToolFailure | null {
    this.calls += 1;
    const seen = this.of(call);
    seen.mistakes += 1;
    if (seen.mistakes > this.maxSameReads) this.exhausted = true;
    if (this.calls <= this.maxCalls) return null;
    this.exhausted = true;
    return this.overLimit();
  }

  /** @param resultHash of the part of the result that tells it from another one */
  ended(call: ToolCall, resultHash: string): void {
    const seen = this.of(call);
    seen.open = Math.max(0, seen.open - 1);
    seen.same = seen.last === resultHash ? seen.same + 1 : 1;
    seen.last = resultHash;
  }

  /** Counts a call of an earlier claim of the turn. @param resultHash null: the call was refused */
  replayed(call: ToolCall, result: unknown, resultHash: string | null): void {
    const code = isFailure(result) ? result.error.code : null;
    if (resultHash === null && code !== null && checkCodes.includes(code)) {
      this.mistaken(call);
      return;
    }
    this.calls += 1;
    if (resultHash !== null) this.ended(call, resultHash);
    else if (code === repeatedCode) this.repeated(this.of(call));
    else if (this.calls > this.maxCalls) this.exhausted = true;
    else this.of(call).open += 1;
  }

  private overLimit(): ToolFailure {
    return failure('tool_call_limit', `A turn may make ${this.maxCalls} calls: answer with what there is.`);
  }

  private repeated(seen: Seen): void {
    seen.refused += 1;
    if (seen.refused >= 2) this.exhausted = true;
  }

  private of(call: ToolCall): Seen {
    const key = callKey(call);
    const seen = this.seen.get(key) ?? { open: 0, same: 0, last: null, refused: 0, mistakes: 0 };
    this.seen.set(key, seen);
    return seen;
  }
}

const repeatedCode = 'repeated_call';

/** A hash of name and arguments that does not depend on the order of keys. */
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
