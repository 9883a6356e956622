import { inboundParse, idTimeMs } from '#libs/contracts';
import { companyLimits, JobClient } from '#libs/queue';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { parseJob, type PublicAddress, publicAddress } from './parse-job.js';
import { ReceiptRepository } from './receipt.repository.js';
import type { Receipt } from './receipt.js';

export const feederSettings = Symbol('feederSettings');

export interface FeederSettings {
  inlineLimitBytes: number;
  /** BullMQ jobs that may wait for the gateway, about: receipts that come at the same moment travel in one. */
  maxWaitingJobs: number;
}

/** Ids kept in memory at most; what is beyond is found by the sweeper. */
const maxOverflow = 500_000;
const feedEveryMs = 50;
const feedBatch = 500;

/**
 * Wakes the gateway for receipts, and stops adding when its queue is long enough: a job more would not be looked at any
 * sooner, but would cost Redis its memory and the sender's answer its CPU. The ids wait here, the bodies in Postgres,
 * and are fed in order as the queue drains.
 */
@Injectable()
export class Feeder implements OnApplicationShutdown {
  private readonly logger = new Logger('feeder');
  private overflow: string[] = [];
  private waitingJobs = 0;
  private addedSince = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(ReceiptRepository) private readonly receipts: ReceiptRepository,
    @Inject(feederSettings) private readonly settings: FeederSettings,
    @Inject(publicAddress) private readonly at: PublicAddress,
  ) {}

  /** Wakes the gateway now, or when its queue has room. */
  offer(receipt: Receipt): void {
    if (this.overflow.length === 0 && this.room > 0) void this.wake(receipt);
    else if (this.overflow.length < maxOverflow) this.overflow.push(receipt.id);
    this.schedule();
  }

  /**
   * Wakes the gateway at once.
   * @param sinceMs when its wait began, in ms since the epoch
   * @param tried of one that is woken again: attempts that the timeline has told of
   * @returns false when Redis did not take the job
   */
  wake(receipt: Receipt, sinceMs?: number, tried?: number): Promise<boolean> {
    this.addedSince += 1;
    // Whoever adds has the queue's length read again: without that, what is added here would use up the room for good.
    this.schedule();
    // One that is woken again has lost its place.
    if (tried === undefined || receipt.outcome === 'held') this.jobs.order.enter(receipt.appId, receipt.id);
    const job = parseJob(receipt, this.settings.inlineLimitBytes, this.at);
    return this.jobs.wake(inboundParse, tried === undefined ? job : { ...job, tried }, sinceMs);
  }

  /**
   * Receipts that the queue has room for, if they come many at a time, as they do whenever room is short. Those that do
   * not are counted at the next reading of the queue's length.
   */
  get room(): number {
    return (this.settings.maxWaitingJobs - this.waitingJobs) * companyLimits.maxTravellers - this.addedSince;
  }

  /** Age of the oldest receipt that waits here: the sweeper has to look at older ones only. */
  get oldestMs(): number {
    const [oldest] = this.overflow;
    return oldest === undefined ? 0 : Math.max(0, Date.now() - idTimeMs(oldest));
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.stopped || this.timer) return;
    this.timer = setTimeout(() => void this.tick(), feedEveryMs);
  }

  /** Reads the queue's length and feeds it; stops when there was nothing to do. */
  private async tick(): Promise<void> {
    const added = this.addedSince;
    try {
      this.waitingJobs = await this.jobs.waiting(inboundParse.queue);
      this.addedSince -= added;
      while (this.overflow.length > 0 && this.room > 0 && !this.stopped) await this.feed();
    } catch (error) {
      this.logger.warn(`not fed, again in ${feedEveryMs} ms: ${String(error)}`);
    }
    this.timer = undefined;
    if (added > 0 || this.overflow.length > 0) this.schedule();
  }

  private async feed(): Promise<void> {
    const ids = this.overflow.slice(0, Math.min(this.room, feedBatch));
    const receipts = await this.receipts.findAll(ids);
    this.overflow = this.overflow.slice(ids.length);
    await Promise.all(receipts.map((receipt) => this.wake(receipt, receipt.receivedAt.getTime())));
  }
}
