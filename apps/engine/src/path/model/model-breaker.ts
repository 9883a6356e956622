import { backoffMs } from '#libs/contracts';
import { ModelError } from './model.js';

export interface BreakerLimits {
  /** Failures in a row after which the circuit opens. */
  opensAfter: number;
  /** The longest time between two trials, in ms. The first trials follow each other sooner. */
  trialEveryMs: number;
}

const firstPauseMs = 500;

/**
 * One circuit breaker per model of the endpoint, so that waiting turns do not all ask an unavailable model. After some
 * failures in a row, one call at a time tries it, after pauses that double.
 */
export class ModelBreaker {
  private failures = 0;
  private openUntilMs = 0;
  private succeededAtMs = 0;
  private last: ModelError | null = null;

  constructor(private readonly limits: BreakerLimits) {}

  /** @throws ModelError as the last call did, with the time until the next trial, while the circuit is open */
  check(): void {
    if (this.last === null || this.failures < this.limits.opensAfter) return;
    const waitMs = this.openUntilMs - Date.now();
    const { code, message, blame } = this.last;
    if (waitMs > 0) {
      const retryAfterMs = waitMs + Math.ceil(Math.random() * firstPauseMs);
      throw new ModelError(code, message, { retryAfterMs, blame });
    }
    // Half open: this call goes through, the others wait for its result.
    this.openUntilMs = Date.now() + this.pauseMs();
  }

  succeeded(): void {
    this.failures = 0;
    this.last = null;
    this.succeededAtMs = performance.now();
  }

  /** @param beganMs of `performance.now()`. A call that hung while later ones were answered says nothing about now. */
  failed(error: ModelError, beganMs: number): void {
    if (beganMs < this.succeededAtMs) return;
    this.failures += 1;
    this.last = error;
    this.openUntilMs = Date.now() + Math.max(error.retryAfterMs ?? 0, this.pauseMs());
  }

  private pauseMs(): number {
    const doublings = Math.max(0, this.failures - this.limits.opensAfter);
    return backoffMs({ baseMs: firstPauseMs, capMs: this.limits.trialEveryMs }, doublings, 0);
  }
}
