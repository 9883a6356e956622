/** Rows that a sweep passes before it writes where it is. */
const writtenEvery = 100;

/**
 * Where a sweep is, which writes it only now and then: a write at every sweep would be a tenth of a row for each message.
 * A process that ends, and another replica, pass once more what was passed since, and find nothing to do about it.
 */
export class SweepMark<T extends string | Date> {
  private ahead: { stored: string; at: T; rows: number } | null = null;

  /** @param stored as it was read. @returns where this process goes on */
  from(stored: T): T {
    return this.ahead?.stored === String(stored) ? this.ahead.at : stored;
  }

  /** @returns whether the mark has to be written after so many more rows */
  isDue(stored: T, rows: number): boolean {
    return this.rowsSince(stored) + rows >= writtenEvery;
  }

  /** To be called when the transaction that passed the rows is committed. @param written whether it wrote the mark */
  passed(stored: T, at: T, rows: number, written: boolean): void {
    this.ahead = written ? null : { stored: String(stored), at, rows: this.rowsSince(stored) + rows };
  }

  private rowsSince(stored: T): number {
    return this.ahead?.stored === String(stored) ? this.ahead.rows : 0;
  }
}
