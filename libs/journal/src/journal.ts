import { Batcher } from '#libs/batching';
import { dropOldPartitions, ensureDailyPartitions, type Queryable } from '#libs/database';
import { endsReceipt, type JournalEntry } from './entry.js';

const insert = `
  INSERT INTO journal.entry (receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal,
    reason, subject_id, attempt, duration_ms, detail)
  SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::boolean[], $10::text[], $11::text[], $12::integer[], $13::double precision[], $14::jsonb[])`;

/**
 * Appends to the journal, some milliseconds' worth of entries at a time. An entry may be lost with its process; the
 * hop that wrote it runs again then (its row is unfinished, or its sweeper asks again) and writes it again.
 */
export class Journal {
  private readonly batcher: Batcher<JournalEntry>;

  constructor(
    private readonly db: Queryable,
    private readonly service: string,
    private readonly onFailure: (error: unknown, entries: number) => void,
  ) {
    this.batcher = new Batcher((entries) => this.write(entries), { maxItems: 500, maxWaitMs: 20, maxRunning: 2 });
  }

  /** Appends without waiting; a failure to write is reported once per batch. */
  append(entry: JournalEntry): void {
    void this.appendNow(entry).catch(() => undefined);
  }

  /** Appends and resolves when the entry is committed. */
  appendNow(entry: JournalEntry): Promise<void> {
    return this.batcher.add({ ...entry, at: entry.at ?? new Date() });
  }

  /** Nest calls this on shutdown, before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.batcher.drain();
  }

  /** Which of these receipts have ended. */
  async endedAmong(receiptIds: string[]): Promise<Set<string>> {
    if (receiptIds.length === 0) return new Set();
    const rows = (await this.db.query(
      'SELECT DISTINCT receipt_id FROM journal.entry WHERE receipt_id = ANY($1) AND terminal',
      [receiptIds],
    )) as { receipt_id: string }[];
    return new Set(rows.map((row) => row.receipt_id));
  }

  /** Makes the partitions of the coming days, and drops those over the retention. */
  async turnPartitions(keepDays: number): Promise<void> {
    await ensureDailyPartitions(this.db, 'journal.entry');
    await dropOldPartitions(this.db, 'journal.entry', keepDays);
  }

  private async write(entries: JournalEntry[]): Promise<void[]> {
    const column = <T>(of: (entry: JournalEntry) => T): T[] => entries.map(of);
    try {
      await this.db.query(insert, [
        column((entry) => entry.receipt_id),
        column((entry) => entry.at),
        column((entry) => entry.organization_id),
        column((entry) => entry.project_id),
        column((entry) => entry.app_id),
        column(() => this.service),
        column((entry) => entry.stage),
        column((entry) => entry.outcome),
        column(endsReceipt),
        column((entry) => entry.reason ?? null),
        column((entry) => entry.subject_id ?? null),
        column((entry) => entry.attempt ?? 1),
        column((entry) => entry.duration_ms ?? null),
        column((entry) => (entry.detail ? JSON.stringify(entry.detail) : null)),
      ]);
    } catch (error) {
      this.onFailure(error, entries.length);
      throw error;
    }
    return [];
  }
}
