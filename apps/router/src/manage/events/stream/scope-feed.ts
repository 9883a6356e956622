import type { ProjectScope } from '#libs/contracts';
import type { Database } from '#libs/database';
import { entriesSince, type LiveEntry } from '#libs/journal';
import { entryId } from './frame.js';
import type { StreamClient } from './stream-client.js';

/** An entry written this much later than its time is still sent. */
const overlapMs = 5_000;
const maxEntries = 2_000;

/** Follows the journal for one project while somebody listens, from shortly before the first one came. */
export class ScopeFeed {
  readonly clients = new Set<StreamClient>();
  private readonly seen = new Map<string, number>();
  private since: Date;

  constructor(
    private readonly db: Database,
    private readonly scope: ProjectScope,
  ) {
    this.since = new Date(Date.now() - overlapMs);
  }

  /** Sends new entries to every client. */
  async poll(): Promise<void> {
    const { entries, isFull } = await entriesSince(this.db, this.since, maxEntries, this.scope);
    for (const client of this.clients) client.beginRound();
    for (const entry of entries) {
      const id = entryId(entry);
      if (this.seen.has(id)) continue;
      this.seen.set(id, entry.row_at.getTime());
      for (const client of this.clients) client.offer(id, entry);
    }
    this.moveOn(entries.at(-1)?.row_at.getTime() ?? 0, isFull);
  }

  /**
   * What a client missed since a time. Entries of the preceding seconds are included, because some may have been
   * written later.
   * @returns `complete` false when there is more than one answer holds
   */
  async missed(after: Date): Promise<{ missed: { id: string; entry: LiveEntry }[]; complete: boolean }> {
    const { entries, isFull } = await entriesSince(
      this.db,
      new Date(after.getTime() - overlapMs),
      maxEntries,
      this.scope,
    );
    return { missed: entries.map((entry) => ({ id: entryId(entry), entry })), complete: !isFull };
  }

  private moveOn(last: number, isFull: boolean): void {
    // A full page continues at once; otherwise the last seconds are read again for entries that are written late.
    const next = isFull ? last : Date.now() - overlapMs;
    this.since = new Date(Math.max(this.since.getTime(), next));
    for (const [id, atMs] of this.seen) if (atMs < this.since.getTime()) this.seen.delete(id);
  }
}
