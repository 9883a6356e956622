import { type Job, type JobJson, Worker, type WorkerOptions } from 'bullmq';
import type { RedisConnection } from './connection.js';
import type { Places } from './places.js';
import { dueAfter } from './take-script.js';

/** Redis knows within this time that a job has ended, or its node does not answer. */
const reportMs = 250;

/**
 * What is reported or closed by then has no more to wait for. A node of a Cluster that does not answer ends no report,
 * and BullMQ waits for the end of its connection to a Cluster, which never comes where the Cluster is not whole.
 */
const closeMs = 5_000;

/**
 * A worker in which a job that only waits for another job takes no place: if such jobs held all places, the job that
 * they wait for could not run. BullMQ fetches one job after another; `Places` count how many of them run, for all shards
 * of the queue.
 */
export class Consumer<T extends object> extends Worker<T> {
  /** Jobs by their data, each until Redis knows that it has ended. */
  private readonly open = new Map<T, Promise<void>>();
  /** The handlers' work. Each entry of `open` continues until Redis knows that the job has ended. */
  private readonly handled = new Set<Promise<unknown>>();
  private readonly ended = new AbortController();
  /** Whether Redis held no job when this consumer last looked: what comes now overtakes none. */
  private isDrained = false;
  /** When a delayed job is due, as of the last look, in ms since the epoch; 0: none. */
  private nextDue = 0;
  /** Jobs of the queue begun since the start. */
  begun = 0;

  constructor(
    queue: string,
    private readonly work: (name: string, data: T) => Promise<void>,
    private readonly places: Places,
    private readonly redis: RedisConnection,
    options: Omit<WorkerOptions, 'concurrency'>,
  ) {
    super(queue, ({ name, data }: Job<T>) => this.handle(data, work(name, data)), { ...options, concurrency: 1 });
    this.on('drained', () => (this.isDrained = true));
    places.consumers += 1;
    this.ended.signal.addEventListener('abort', () => (places.consumers -= 1));
  }

  /** Starts a job; resolves when there is room for the next one. */
  override async processJob(job: Job<T>, token: string): Promise<void> {
    // It was requested before the shutdown began.
    if (this.isPaused()) return void (await job.moveToWait(token));
    if (this.places.consumers > 1 && !this.places.hasRoom) await this.putBack(job, token);
    else this.begin(job, token);
    await this.places.room(this.ended.signal);
  }

  /** Knows from a job that no other waits: as if it had looked once more. */
  protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string): Promise<Job<T>> {
    if (data) this.isDrained = false;
    else this.places.call();
    const job = await super.nextJobFromJobData(data, id, token);
    const due = data ? dueAfter(data) : null;
    // With this one no place may be left: then it looks when there is one, since jobs may have come by then.
    if (due === null || !this.places.hasRoomForMore) return job;
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
    if (!this.isDrained || this.isPaused()) return false;
    const end = this.places.handOver(most);
    if (!end) return false;
    this.keepOpen(data, () => this.handle(data, this.work(name, data)).finally(end));
    return true;
  }

  /**
   * Takes no more jobs, and closes when the running ones have ended, whose results it does not report to a lost Redis.
   */
  override async close(): Promise<void> {
    await this.pause(true);
    await Promise.allSettled(this.handled);
    this.ended.abort();
    const isLost = (await within(closeMs, this.isLostBefore(Promise.all(this.open.values())))) ?? true;
    void this.endReads();
    await within(closeMs, super.close(isLost));
  }

  /** Takes no more jobs, and ends when the running ones have: it does not wait for connections that may lead nowhere. */
  async abandon(): Promise<void> {
    await this.pause(true);
    // Whoever takes over has all places, as after a restart.
    for (const job of this.open.keys()) this.places.release(job);
    this.ended.abort();
    await Promise.allSettled(this.handled);
    await within(reportMs, Promise.all(this.open.values()));
    void this.endReads();
    await super.close(true);
  }

  /** For good: BullMQ makes their connection to a Cluster anew after a read that was cut, even once it is closed. */
  private async endReads(): Promise<void> {
    const client = await this.backend.blockingClient?.catch(() => null);
    client?.on('connecting', () => client.disconnect());
  }

  private begin(job: Job<T>, token: string): void {
    this.begun += 1;
    this.keepOpen(job.data, () => super.processJob(job, token, () => false));
  }

  /** A report that waits for its node must not keep the place: jobs of other shards need it. */
  private endPlace(job: T): void {
    setTimeout(() => this.open.has(job) && this.places.release(job), reportMs).unref();
  }

  /** The consumer of another shard took the last place while this one fetched: another process may have one. */
  private async putBack(job: Job<T>, token: string): Promise<void> {
    this.isDrained = false;
    try {
      await job.moveToWait(token);
    } catch (error) {
      // It comes back when its lock has expired, as that of a killed process.
      this.emit('error', error as Error);
    }
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
  private keepOpen(job: T, work: () => Promise<unknown>): void {
    const reported = (): Promise<void> =>
      work().then(
        () => undefined,
        (error: Error) => void this.emit('error', error),
      );
    const held = this.places.hold(job, reported).finally(() => this.open.delete(job));
    this.open.set(job, held);
  }

  private async handle(job: T, work: Promise<void>): Promise<void> {
    this.handled.add(work);
    try {
      await work;
    } finally {
      this.handled.delete(work);
      this.endPlace(job);
    }
  }
}

/** Waits for it, but no longer. @returns null when it was too late */
async function within<R>(ms: number, ended: Promise<R>): Promise<R | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), ms);
  try {
    return await Promise.race([ended, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
