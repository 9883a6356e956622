import { Batcher } from '#libs/batching';
import { dropOldPartitions, ensureDailyPartitions, isRefusedRow, type Queryable } from '#libs/database';
import type { JournalEntry } from './entry.js';
import { type EntryInRow, everyEntry, inRow } from './entries-in-rows.js';
import { entryRow, insertEntries } from './insert-entries.js';

/**
 * Appends to the journal, some milliseconds' worth of entries at a time. An entry may be lost with its process. The hop
 * that wrote it then runs again (its row is unfinished, or its sweeper asks again) and writes it again.
 */
export class Journal {
  private readonly batcher: Batcher<JournalEntry>;

  constructor(
    private readonly db: Queryable,
    private readonly service: string,
    private readonly onFailure: (error: unknown, entries: number) => void,
    private readonly onEntry: (entry: JournalEntry) => void,
    /** Entries about nothing that was received. They are not written. */
    private readonly skips: (entry: JournalEntry) => boolean = () => false,
  ) {
    const together = { maxItems: 500, maxWaitMs: 20, maxRunning: 2, failsByItem: isRefusedRow };
    this.batcher = new Batcher((entries) => this.write(entries), together);
  }

  /** Appends without waiting; a failure to write is reported once per batch. */
  append(entry: JournalEntry): void {
    void this.appendNow(entry).catch(() => undefined);
  }

  /** Appends and resolves when the entry is committed. */
  appendNow(entry: JournalEntry): Promise<void> {
    if (this.skips(entry)) return Promise.resolve();
    this.onEntry(entry);
    return this.batcher.add({ ...entry, at: entry.at ?? new Date() });
  }

  /** Appends in the caller's transaction, for an entry that must be there if what it reports is committed. */
  async appendIn(tx: Queryable, entry: JournalEntry): Promise<void> {
    if (this.skips(entry)) return;
    await insertEntries(tx, this.service, [{ ...entry, at: entry.at ?? new Date() }]);
    this.onEntry(entry);
  }

  /**
   * The row of an entry for a statement with `entryCtes`. Call `noted` once that has committed.
   * @param onlyWith what the statement has to have written for the entry to be written
   */
  row(entry: JournalEntry, onlyWith: string): Record<string, unknown> {
    return { ...entryRow(entry, this.service), only_with: this.skips(entry) ? null : onlyWith };
  }

  /**
   * An entry for the column `entry` of the row that it is about, in the statement that commits what it reports.
   * @param ofRow details that the view of this service adds from the row
   * @returns null: it is written with `row`, or not at all
   */
  inRow(entry: JournalEntry, ofRow: Record<string, unknown>): EntryInRow | null {
    return this.skips(entry) ? null : inRow(entry, this.service, ofRow);
  }

  /** Counts an entry that a statement of this service has committed. */
  noted(entry: JournalEntry): void {
    if (!this.skips(entry)) this.onEntry(entry);
  }

  /** Nest calls this on shutdown, before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.batcher.drain();
  }

  /** Which of these receipts have ended. @param db the caller's transaction, if it has one */
  async endedAmong(receiptIds: string[], db: Queryable = this.db): Promise<Set<string>> {
    if (receiptIds.length === 0) return new Set();
    const rows = (await db.query(
      `SELECT DISTINCT receipt_id FROM ${everyEntry} e WHERE receipt_id = ANY($1) AND terminal`,
      [receiptIds],
    )) as { receipt_id: string }[];
    return new Set(rows.map((row) => row.receipt_id));
  }

  /**
   * Which of these receipts some hop wrote about in the last `withinMs`: it is in flight there, or about to be retried.
   */
  async heardOfWithin(receiptIds: string[], withinMs: number): Promise<Set<string>> {
    const rows = (await this.db.query(
      `SELECT DISTINCT receipt_id FROM ${everyEntry} e
        WHERE receipt_id = ANY($1) AND extract(epoch FROM at) > extract(epoch FROM now()) - $2::double precision`,
      [receiptIds, withinMs / 1000],
    )) as { receipt_id: string }[];
    return new Set(rows.map((row) => row.receipt_id));
  }

  /** The highest attempt number of each of these receipts, among attempts that failed before they were routed. */
  async attemptsOf(receiptIds: string[]): Promise<Map<string, number>> {
    if (receiptIds.length === 0) return new Map();
    const rows = (await this.db.query(
      `SELECT receipt_id, max(attempt) AS tried FROM journal.entry
        WHERE receipt_id = ANY($1) AND stage IN ('parsed', 'routed') AND outcome = 'retrying' GROUP BY receipt_id`,
      [receiptIds],
    )) as { receipt_id: string; tried: number }[];
    return new Map(rows.map(({ receipt_id, tried }) => [receipt_id, tried]));
  }

  /**
   * Creates the partitions of the coming days, and drops those past the retention, with the few rows kept beside them.
   */
  async turnPartitions(keepDays: number): Promise<void> {
    await ensureDailyPartitions(this.db, 'journal.entry');
    await dropOldPartitions(this.db, 'journal.entry', keepDays);
    await this.db.query('SELECT journal.forget_before(now() - make_interval(days => $1))', [keepDays]);
  }

  /** Deletes the entries of a project's receipts. @param tx the transaction that deletes the receipts */
  async forgetReceipts(tx: Queryable, projectId: string, receiptIds: string[], before: Date): Promise<void> {
    await tx.query('SELECT journal.forget_receipts($1, $2, $3)', [projectId, receiptIds, before]);
  }

  private async write(entries: JournalEntry[]): Promise<void[]> {
    try {
      await insertEntries(this.db, this.service, entries);
    } catch (error) {
      // The entries beside a refused one are written without it.
      if (entries.length === 1 || !isRefusedRow(error)) this.onFailure(error, entries.length);
      throw error;
    }
    return [];
  }
}
