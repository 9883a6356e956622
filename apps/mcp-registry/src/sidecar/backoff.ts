import { backoffMs } from '#libs/contracts';

export interface BackoffTimes {
  healthyMs: number;
  firstMs: number;
  mostMs: number;
}

/**
 * How long a server's next start is delayed. The first early exit costs nothing: its session is reopened at once. Each
 * further one in a row doubles the wait.
 */
export class Backoff {
  private early = 0;
  private until = 0;

  constructor(private readonly times: BackoffTimes) {}

  /** Milliseconds; 0 means now. */
  get waitMs(): number {
    return Math.max(0, this.until - Date.now());
  }

  /** A process exited by itself. @param livedMs 0 when it could not be started */
  ended(livedMs: number): void {
    const { healthyMs, firstMs, mostMs } = this.times;
    this.early = livedMs >= healthyMs ? 0 : this.early + 1;
    if (this.early > 1) this.until = Date.now() + backoffMs({ baseMs: firstMs, capMs: mostMs }, this.early - 2, 0);
  }
}
