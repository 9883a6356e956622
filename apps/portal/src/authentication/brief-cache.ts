/**
 * Caches reads for a short time, and shares one read among concurrent callers. A failed read, and one that found
 * nothing, is not cached.
 */
export class BriefCache<T> {
  private readonly entries = new Map<string, { value: Promise<T>; untilMs: number }>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly maxEntries: number,
  ) {}

  /** Drops the entry: the next caller reads again. */
  forget(id: string): void {
    this.entries.delete(id);
  }

  get(id: string, read: () => Promise<T>): Promise<T> {
    const found = this.entries.get(id);
    if (found && found.untilMs > Date.now()) return found.value;
    this.entries.delete(id);
    // Insertion order is age, so the first entry is the oldest.
    for (const oldest of this.entries.keys()) {
      if (this.entries.size < this.maxEntries) break;
      this.entries.delete(oldest);
    }
    const entry = { value: read(), untilMs: Date.now() + this.lifetimeMs };
    this.entries.set(id, entry);
    const forget = (): void => {
      if (this.entries.get(id) === entry) this.entries.delete(id);
    };
    entry.value.then((value) => {
      if (!value) forget();
    }, forget);
    return entry.value;
  }
}
