/**
 * Unwrapped data keys for a short while: with a remote key backend an unwrap is a network call. A dropped key is not
 * overwritten, since a caller may be about to open with it.
 */
export class DekCache {
  private readonly entries = new Map<string, { dek: Buffer; untilMs: number }>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly maxEntries: number,
  ) {}

  get(id: string): Buffer | null {
    const entry = this.entries.get(id);
    if (!entry) return null;
    if (entry.untilMs > Date.now()) return entry.dek;
    this.entries.delete(id);
    return null;
  }

  set(id: string, dek: Buffer): void {
    // Insertion order is age: the oldest entry makes room.
    for (const oldest of this.entries.keys()) {
      if (this.entries.size < this.maxEntries) break;
      this.entries.delete(oldest);
    }
    this.entries.set(id, { dek, untilMs: Date.now() + this.lifetimeMs });
  }
}
