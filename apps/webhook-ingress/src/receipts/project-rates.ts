interface Bucket {
  tokens: number;
  atMs: number;
}

/** Limits the messages per second of each project, in bursts of one second's worth. Counted in this process only. */
export class ProjectRates {
  private readonly buckets = new Map<string, Bucket>();

  /** @param rateOf messages per second of a project; 0: no limit */
  constructor(readonly rateOf: (projectId: string) => number) {}

  /** Counts a message if it may go now. @returns whether it may */
  take(projectId: string, nowMs = performance.now()): boolean {
    const rate = this.rateOf(projectId);
    if (rate === 0) return true;
    const bucket = this.buckets.get(projectId) ?? { tokens: rate, atMs: nowMs };
    const tokens = Math.min(rate, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * rate);
    this.buckets.set(projectId, { tokens: tokens < 1 ? tokens : tokens - 1, atMs: nowMs });
    return tokens >= 1;
  }
}
