/** Answers of a provider that are asked for often, bounded in number and age. They are lost with the process. */
export class Remembered<Value> {
  private readonly entries = new Map<string, { value: Value; untilMs: number }>();

  constructor(private readonly maxEntries: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (entry.untilMs > Date.now()) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, keepMs: number): void {
    const [oldest] = this.entries.keys();
    if (this.entries.size >= this.maxEntries && oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(key, { value, untilMs: Date.now() + keepMs });
  }
}
