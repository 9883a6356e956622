/**
 * Keeps what was read for a short while and reads a thing once for all who ask at the same time. A failed read, and one
 * that found nothing, is not kept.
 */
export class BriefCache<T> {
  private readonly entries = new Map<string, { value: Promise<T>; untilMs: number }>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly maxEntries: number,
  ) {}

  /** The next who asks reads anew. */
  forget(id: string): void {
    this.entries.delete(id);
  }

  get(id: string, read: () => Promise<T>): Promise<T> {
    const found = this.entries.get(id);
    if (found && found.untilMs > Date.now()) return found.value;
    this.entries.delete(id);
    // Insertion order is age: the oldest entry makes room.
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
