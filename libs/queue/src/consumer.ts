import { type Job, type JobJson, Worker, type WorkerOptions } from 'bullmq';
import type { RedisConnection } from './connection.js';
import { dueAfter } from './take-script.js';

/** Jobs that may wait on other jobs, for each one that may run. */
const waitingForEach = 4;
/** A job that took long, because it waited for somebody else's answer, must not stop the next one for as long. */
const longestRestMs = 100;

/**
 * A worker in which a job that only waits for another job takes no place: if such jobs held all places, the job that
 * they wait for could not run. BullMQ fetches one job after another; this class counts how many of them run.
 */
export class Consumer<T extends object> extends Worker<T> {
  private readonly open = new Set<Promise<void>>();
  /** The handlers' work. Each entry of `open` continues until Redis knows that the job has ended. */
  private readonly handled = new Set<Promise<unknown>>();
  /** How many items of a job wait, by its data. */
  private readonly waits = new Map<T, number>();
  private wake: (() => void) | undefined;
  private duty = 1;
  private resting: NodeJS.Timeout | undefined;
  /** Whether Redis held no job when this consumer last looked: what comes now overtakes none. */
  private isDrained = false;
  /** When a delayed job is due, as of the last look, in ms since the epoch; 0: none. */
  private nextDue = 0;
  /** Places that what was handed over has now. */
  private handedOver = 0;
  /** Jobs of the queue begun since the start. */
  begun = 0;

  constructor(
    queue: string,
    private readonly work: (name: string, data: T) => Promise<void>,
    private most: number,
    private readonly redis: RedisConnection,
    options: Omit<WorkerOptions, 'concurrency'>,
  ) {
    super(queue, (job: Job<T>) => this.handle(work(job.name, job.data)), { ...options, concurrency: 1 });
    this.on('drained', () => (this.isDrained = true));
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
    this.keepOpen(super.processJob(job, token, () => false));
    while (!this.hasRoom) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Knows from a job that no other waits: as if it had looked once more. */
  protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string): Promise<Job<T>> {
    if (data) this.isDrained = false;
    const job = await super.nextJobFromJobData(data, id, token);
    const due = data ? dueAfter(data) : null;
    // With this one no place may be left: then it looks when there is one, since jobs may have come by then.
    if (due === null || this.placesTaken + 1 >= this.most) return job;
    this.nextDue = due;
    await super.nextJobFromJobData();
    return job;
  }

  /** Waits no longer than until the next delayed job, which BullMQ forgets when a job ends meanwhile. */
  protected override getBlockTimeout(blockUntil: number): number {
    const due = blockUntil || this.nextDue;
    this.nextDue = 0;
    return super.getBlockTimeout(due);
  }

  /**
   * Starts what a producer in this process hands over, in a place as for a job of the queue. One place is left for a job
   * that is being fetched from Redis.
   * @param most how many of these may run at a time
   * @returns false when it has to go to the queue: no place is free, older jobs may wait there, or this consumer ends
   */
  take(name: string, data: T, most: number): boolean {
    if (!this.isDrained || this.handedOver >= most || this.isPaused()) return false;
    if (!this.hasRoom || this.placesTaken + 1 >= this.most) return false;
    this.handedOver += 1;
    const work = this.handle(this.work(name, data)).finally(() => (this.handedOver -= 1));
    this.keepOpen(work);
    return true;
  }

  /** Lets an item of a job wait without holding the job's place, which the job has again when this resolves. */
  async letWait<R>(job: T, wait: Promise<R>): Promise<R> {
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

  /** Whether Redis is down, or goes down before `reported` resolves: reports to it would then wait until it is back. */
  private async isLostBefore(reported: Promise<unknown>): Promise<boolean> {
    if (this.redis.status !== 'ready') return true;
    const lost = Promise.withResolvers<boolean>();
    const lose = (): void => lost.resolve(true);
    this.redis.once('close', lose);
    try {
      return await Promise.race([reported.then(() => false), lost.promise]);
    } finally {
      this.redis.off('close', lose);
    }
  }

  /** Holds a place until the work has ended. */
  private keepOpen(work: Promise<unknown>): void {
    const startedMs = performance.now();
    const held = work
      .then(
        () => undefined,
        (error: Error) => void this.emit('error', error),
      )
      .finally(() => {
        this.open.delete(held);
        this.rest(performance.now() - startedMs);
        this.wake?.();
      });
    this.open.add(held);
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

  private get placesTaken(): number {
    return this.open.size - this.waits.size;
  }

  get hasRoom(): boolean {
    if (this.resting) return false;
    return this.placesTaken < this.most && this.open.size < this.most * (1 + waitingForEach);
  }
}
