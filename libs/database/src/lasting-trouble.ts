import { Logger } from '@nestjs/common';

const remindEveryMs = 60_000;

/**
 * What fails again and again until its cause is gone: one warning when it begins, or fails for another reason, a
 * reminder each minute, and a line when it is over. Several that fail for one reason are one trouble.
 */
export class LastingTrouble {
  private readonly logger: Logger;
  /** What fails, and why. */
  private readonly failing = new Map<string, string>();
  /** When each reason was written, in ms. */
  private readonly reportedMs = new Map<string, number>();
  private sinceMs = 0;

  /**
   * @param context of its lines
   * @param event the code of its warnings; `<event>.over` is that of the last line
   */
  constructor(
    context: string,
    private readonly event: string,
    private readonly now: () => number = Date.now,
  ) {
    this.logger = new Logger(context);
  }

  /** @param what failed, as a name */
  fails(what: string, error: unknown): void {
    const now = this.now();
    if (this.failing.size === 0) this.sinceMs = now;
    const reason = reasonOf(error);
    this.failing.set(what, reason);
    const reported = this.reportedMs.get(reason);
    if (reported !== undefined && now - reported < remindEveryMs) return;
    this.reportedMs.set(reason, now);
    const alike = [...this.failing].filter(([, why]) => why === reason).map(([name]) => name);
    const since = new Date(this.sinceMs).toISOString();
    this.logger.warn({ event: this.event, what: alike, error: String(error), since });
  }

  works(what: string): void {
    if (!this.failing.delete(what) || this.failing.size > 0) return;
    this.logger.log({ event: `${this.event}.over`, lasted_ms: this.now() - this.sinceMs });
    this.reportedMs.clear();
  }
}

/** Texts of errors name ports and times, which differ each time. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message.replaceAll(/\d+/g, '');
}
