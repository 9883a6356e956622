/** Rows that a sweep passes before it stores its position. */
const writtenEvery = 100;
/** However few it passed, it is stored after this: what is passed once more has to be younger than any retention. */
const writtenAfterMs = 60_000;

/**
 * The position of a sweep, which is stored only now and then: storing it at every sweep would cost a tenth of a row per
 * message. After a restart, and in another replica, the rows since then are passed once more, with nothing to do for
 * them as long as what followed from them is kept.
 */
export class SweepMark<T extends string | Date> {
  private ahead: { stored: string; at: T; rows: number; sinceMs: number } | null = null;

  constructor(private readonly now: () => number = Date.now) {}

  /** @param stored as it was read. @returns where this process continues */
  from(stored: T): T {
    return this.ahead?.stored === String(stored) ? this.ahead.at : stored;
  }

  /** @returns whether the mark has to be stored after this many more rows */
  isDue(stored: T, rows: number): boolean {
    return this.rowsSince(stored) + rows >= writtenEvery || this.overdue(stored) !== null;
  }

  /** @returns a position that has not been stored for too long, though no more rows may come; null: there is none */
  overdue(stored: T): T | null {
    if (this.ahead?.stored !== String(stored)) return null;
    return this.now() - this.ahead.sinceMs >= writtenAfterMs ? this.ahead.at : null;
  }

  /** Call it after the transaction that passed the rows has committed. @param written whether it stored the mark */
  passed(stored: T, at: T, rows: number, written: boolean): void {
    const sinceMs = this.ahead?.stored === String(stored) ? this.ahead.sinceMs : this.now();
    this.ahead = written ? null : { stored: String(stored), at, rows: this.rowsSince(stored) + rows, sinceMs };
  }

  private rowsSince(stored: T): number {
    return this.ahead?.stored === String(stored) ? this.ahead.rows : 0;
  }
}
