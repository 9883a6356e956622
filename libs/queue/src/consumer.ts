import { type Job, Worker, type WorkerOptions } from 'bullmq';
import type { RedisConnection } from './connection.js';

/** Jobs that may wait on other jobs, for each one that may run. */
const waitingForEach = 4;
/** A job that took long, because it waited for somebody else's answer, must not stop the next one for as long. */
const longestRestMs = 100;

/**
 * A worker in which a job that only waits for another job takes no place: if such jobs held all places, the job that
 * they wait for could not run. BullMQ fetches one job after another; this class counts how many of them run.
 */
export class Consumer<T> extends Worker<T> {
  private readonly open = new Set<Promise<void>>();
  /** The handlers' work. Each entry of `open` continues until Redis knows that the job has ended. */
  private readonly handled = new Set<Promise<unknown>>();
  /** How many items of a job wait. */
  private readonly waits = new Map<Job<T>, number>();
  private wake: (() => void) | undefined;
  private duty = 1;
  private resting: NodeJS.Timeout | undefined;
  /** Jobs begun since the start. */
  begun = 0;

  constructor(
    queue: string,
    process: (job: Job<T>) => Promise<void>,
    private most: number,
    private readonly redis: RedisConnection,
    options: Omit<WorkerOptions, 'concurrency'>,
  ) {
    super(queue, (job: Job<T>) => this.handle(process(job)), { ...options, concurrency: 1 });
  }

  /**
   * Sets how many jobs may run at a time, and the duty cycle: below 1, no job starts for a while after each one, so that
   * jobs take at most that share of the time.
   */
  pace(places: number, duty: number): void {
    this.most = places;
    this.duty = duty;
    if (duty === 1) this.endRest();
    this.wake?.();
  }

  /** Starts a job; resolves when there is room for the next one. */
  override async processJob(job: Job<T>, token: string): Promise<void> {
    // It was requested before the shutdown began.
    if (this.isPaused()) return void (await job.moveToWait(token));
    this.begun += 1;
    const startedMs = performance.now();
    const work = super
      .processJob(job, token, () => false)
      .then(
        () => undefined,
        (error: Error) => void this.emit('error', error),
      )
      .finally(() => {
        this.open.delete(work);
        this.rest(performance.now() - startedMs);
        this.wake?.();
      });
    this.open.add(work);
    while (!this.hasRoom) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Lets an item of a job wait without holding the job's place, which the job has again when this resolves. */
  async letWait<R>(job: Job<T>, wait: Promise<R>): Promise<R> {
    this.waits.set(job, (this.waits.get(job) ?? 0) + 1);
    this.wake?.();
    try {
      return await wait;
    } finally {
      const others = (this.waits.get(job) ?? 1) - 1;
      if (others > 0) this.waits.set(job, others);
      else this.waits.delete(job);
    }
  }

  /**
   * Takes no more jobs, and closes when the running ones have ended, whose results it does not report to a lost Redis.
   */
  override async close(): Promise<void> {
    await this.pause(true);
    await Promise.allSettled(this.handled);
    await super.close(await this.isLostBefore(Promise.all(this.open)));
  }

  /** Takes no more jobs, and ends when the running ones have: it waits for no answer of its connections. */
  async abandon(): Promise<void> {
    await this.pause(true);
    await Promise.allSettled(this.handled);
    await super.close(true);
  }

  /** Whether Redis is down, or goes down before `told` resolves: reports to it would then wait until it is back. */
  private async isLostBefore(told: Promise<unknown>): Promise<boolean> {
    if (this.redis.status !== 'ready') return true;
    const lost = Promise.withResolvers<boolean>();
    const lose = (): void => lost.resolve(true);
    this.redis.once('close', lose);
    try {
      return await Promise.race([told.then(() => false), lost.promise]);
    } finally {
      this.redis.off('close', lose);
    }
  }

  private async handle(work: Promise<void>): Promise<void> {
    this.handled.add(work);
    try {
      await work;
    } finally {
      this.handled.delete(work);
    }
  }

  private rest(tookMs: number): void {
    if (this.duty === 1) return;
    clearTimeout(this.resting);
    const restMs = Math.min(longestRestMs, tookMs * (1 / this.duty - 1));
    this.resting = setTimeout(() => {
      this.endRest();
      this.wake?.();
    }, restMs);
  }

  private endRest(): void {
    clearTimeout(this.resting);
    this.resting = undefined;
  }

  get hasRoom(): boolean {
    if (this.resting) return false;
    return this.open.size - this.waits.size < this.most && this.open.size < this.most * (1 + waitingForEach);
  }
}
