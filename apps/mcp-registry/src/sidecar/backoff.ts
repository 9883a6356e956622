import { backoffMs } from '#libs/contracts';

export interface BackoffTimes {
  healthyMs: number;
  firstMs: number;
  mostMs: number;
}

/**
 * How long a server's next start has to wait. The first process that ends early costs nothing: its session is opened
 * again at once. After each further one in a row the wait doubles.
 */
export class Backoff {
  private early = 0;
  private until = 0;

  constructor(private readonly times: BackoffTimes) {}

  /** Milliseconds; 0: now. */
  get waitMs(): number {
    return Math.max(0, this.until - Date.now());
  }

  /** A process ended by itself. @param livedMs 0 when it could not be started */
  ended(livedMs: number): void {
    const { healthyMs, firstMs, mostMs } = this.times;
    this.early = livedMs >= healthyMs ? 0 : this.early + 1;
    if (this.early > 1) this.until = Date.now() + backoffMs({ baseMs: firstMs, capMs: mostMs }, this.early - 2, 0);
  }
}
