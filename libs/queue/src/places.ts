/** Jobs that may wait on other jobs, for each one that may run. */
const waitingForEach = 4;
/** A job that took long, because it waited for somebody else's answer, must not stop the next one for as long. */
const longestRestMs = 100;
/** Whoever is called to fetch a job has begun one by then, or there was none, or its node of Redis does not answer. */
const fetchMs = 20;

/**
 * How many jobs of a queue run at a time in this process. The consumers of its shards share the places, so that one busy
 * shard may use them all. Whoever wants to fetch waits in line for room. A job is known by its data.
 */
export class Places {
  private readonly taken = new Set<object>();
  /** How many items of a job wait for other jobs. */
  private readonly waits = new Map<object, number>();
  private line: (() => void)[] = [];
  private calling: NodeJS.Timeout | undefined;
  private duty = 1;
  private resting: NodeJS.Timeout | undefined;
  /** Places that what was handed over has now. */
  private handedOver = 0;
  /** Consumers that fetch jobs for these places. */
  consumers = 0;

  constructor(private most: number) {}

  /**
   * Sets how many jobs may run at a time, and the duty cycle: below 1, no job starts for a while after each one, so that
   * jobs take at most that share of the time.
   */
  pace(places: number, duty: number): void {
    this.most = places;
    this.duty = duty;
    if (duty === 1) this.endRest();
    this.call();
  }

  get hasRoom(): boolean {
    if (this.resting) return false;
    return this.running < this.most && this.taken.size < this.most * (1 + waitingForEach);
  }

  /** Whether two jobs more may run. One place is left for a job that is being fetched from Redis. */
  get hasRoomForMore(): boolean {
    return this.hasRoom && this.running + 1 < this.most;
  }

  /** Resolves when there is room to fetch a job, or when the signal ends the wait. */
  async room(ended: AbortSignal): Promise<void> {
    while (!this.hasRoom && !ended.aborted) {
      const { promise: called, resolve } = Promise.withResolvers<void>();
      const call = (): void => resolve();
      const leave = (): void => {
        this.line = this.line.filter((each) => each !== call);
        resolve();
      };
      this.line.push(call);
      ended.addEventListener('abort', leave, { once: true });
      await called;
      ended.removeEventListener('abort', leave);
    }
  }

  /** Calls one to fetch, and the next one if there still is room a little later. */
  call(): void {
    if (!this.hasRoom) return;
    this.line.shift()?.();
    if (this.line.length === 0) return;
    this.calling ??= setTimeout(() => {
      this.calling = undefined;
      this.call();
    }, fetchMs);
  }

  /** Has a place taken, from before the work begins until it has ended. */
  hold(job: object, work: () => Promise<void>): Promise<void> {
    this.taken.add(job);
    const startedMs = performance.now();
    return work().finally(() => {
      if (!this.taken.delete(job)) return;
      this.rest(performance.now() - startedMs);
      this.call();
    });
  }

  /** Gives back the place of a job that goes on. */
  release(job: object): void {
    this.taken.delete(job);
    this.waits.delete(job);
    this.call();
  }

  /** @returns what ends it; null when as many as may are handed over */
  handOver(most: number): (() => void) | null {
    if (this.handedOver >= most || !this.hasRoomForMore) return null;
    this.handedOver += 1;
    return () => (this.handedOver -= 1);
  }

  /** Lets an item of a job wait without holding the job's place, which the job has again when this resolves. */
  async letWait<R>(job: object, wait: Promise<R>): Promise<R> {
    if (!this.taken.has(job)) return wait;
    this.waits.set(job, (this.waits.get(job) ?? 0) + 1);
    this.call();
    try {
      return await wait;
    } finally {
      const others = (this.waits.get(job) ?? 1) - 1;
      if (others > 0) this.waits.set(job, others);
      else this.waits.delete(job);
    }
  }

  private rest(tookMs: number): void {
    if (this.duty === 1) return;
    clearTimeout(this.resting);
    const restMs = Math.min(longestRestMs, tookMs * (1 / this.duty - 1));
    this.resting = setTimeout(() => {
      this.endRest();
      this.call();
    }, restMs);
  }

  private endRest(): void {
    clearTimeout(this.resting);
    this.resting = undefined;
  }

  private get running(): number {
    return this.taken.size - this.waits.size;
  }
}
