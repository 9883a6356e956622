/** Rows that a sweep passes before it stores its position. */
const writtenEvery = 100;

/**
 * The position of a sweep, which is stored only now and then: storing it at every sweep would cost a tenth of a row per
 * message. After a restart, and in another replica, the rows since then are passed once more, with nothing to do for
 * them.
 */
export class SweepMark<T extends string | Date> {
  private ahead: { stored: string; at: T; rows: number } | null = null;

  /** @param stored as it was read. @returns where this process continues */
  from(stored: T): T {
    return this.ahead?.stored === String(stored) ? this.ahead.at : stored;
  }

  /** @returns whether the mark has to be stored after this many more rows */
  isDue(stored: T, rows: number): boolean {
    return this.rowsSince(stored) + rows >= writtenEvery;
  }

  /** Call it after the transaction that passed the rows has committed. @param written whether it stored the mark */
  passed(stored: T, at: T, rows: number, written: boolean): void {
    this.ahead = written ? null : { stored: String(stored), at, rows: this.rowsSince(stored) + rows };
  }

  private rowsSince(stored: T): number {
    return this.ahead?.stored === String(stored) ? this.ahead.rows : 0;
  }
}
