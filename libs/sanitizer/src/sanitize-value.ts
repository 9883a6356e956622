import { addReport, emptyReport, type SanitizerReport } from './report.js';
import { sanitize } from './sanitize.js';

export interface ValueLimits {
  /** Nesting of objects and lists. Default 16. */
  maxDepth?: number;
  /** Entries of the whole value, both keys and list items. Default 2 000. */
  maxEntries?: number;
  /** UTF-16 units of each text. Default 20 000. */
  maxChars?: number;
  /** Lines of each text. Default 5 000. */
  maxLines?: number;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

const maxKeyChars = 256;

/**
 * A JSON value (the metadata of a message, a tool's result) with every text in it sanitised, including keys. Values
 * that are not JSON become null. Keys that become equal are distinguished by a number.
 */
export function sanitizeValue(value: unknown, limits: ValueLimits = {}): { value: JsonValue; report: SanitizerReport } {
  const report = emptyReport();
  const walk = new Walk(report, limits);
  return { value: walk.value(value, 0), report };
}

class Walk {
  private readonly maxDepth: number;
  private readonly maxChars: number;
  private readonly maxLines: number;
  private entriesLeft: number;

  constructor(
    private readonly report: SanitizerReport,
    { maxDepth = 16, maxEntries = 2_000, maxChars = 20_000, maxLines = 5_000 }: ValueLimits,
  ) {
    this.maxDepth = maxDepth;
    this.maxChars = maxChars;
    this.maxLines = maxLines;
    this.entriesLeft = maxEntries;
  }

  value(value: unknown, depth: number): JsonValue {
    if (typeof value === 'string') return this.text(value, this.maxChars);
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value !== 'object' || value === null) return null;
    if (depth >= this.maxDepth) {
      this.report.cut += 1;
      return `[cut: ${countValues(value)} values, nested too deeply]`;
    }
    return Array.isArray(value) ? this.list(value, depth) : this.object(value, depth);
  }

  private list(list: unknown[], depth: number): JsonValue[] {
    const result: JsonValue[] = [];
    for (const [index, entry] of list.entries()) {
      if (this.full()) return [...result, `[cut: ${list.length - index} entries]`];
      result.push(this.value(entry, depth + 1));
    }
    return result;
  }

  private object(object: object, depth: number): { [key: string]: JsonValue } {
    const result = new Map<string, JsonValue>();
    const entries = Object.entries(object);
    for (const [index, [key, entry]] of entries.entries()) {
      if (this.full()) {
        result.set('[cut]', `${entries.length - index} entries`);
        break;
      }
      result.set(unusedKey(result, this.text(key, maxKeyChars)), this.value(entry, depth + 1));
    }
    // Own properties only, including `__proto__`.
    return Object.fromEntries(result);
  }

  private full(): boolean {
    if (this.entriesLeft > 0) {
      this.entriesLeft -= 1;
      return false;
    }
    this.report.cut += 1;
    return true;
  }

  private text(text: string, maxChars: number): string {
    const { text: clean, report } = sanitize(text, { maxChars, maxLines: this.maxLines });
    addReport(this.report, report);
    return clean;
  }
}

/** Texts, numbers and the like in a value, at any depth. */
function countValues(value: object): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) count += 1;
    else for (const entry of Object.values(next)) left.push(entry);
  }
  return count;
}

function unusedKey(taken: ReadonlyMap<string, unknown>, key: string): string {
  let unused = key;
  for (let number = 2; taken.has(unused); number += 1) unused = `${key} (${number})`;
  return unused;
}
