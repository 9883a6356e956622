import { columnsOf, deliverySend, type Endpoint, inboundParse, messageRoute, turnRun } from '#libs/contracts';
import { LastingTrouble } from '#libs/database';
import { type HeldProject, HeldProjects, Journal, type JournalEntry } from '#libs/journal';
import { ProjectLimits } from '#libs/project-limits';
import { batchLimits, JobClient } from '#libs/queue';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { type InLine, ProjectLines, ProjectRates, ProjectShares } from './project-shares.js';
import { DirectRoutes, type DirectSettings, parseJob, PublicAddress } from './receipt-job.js';
import { type Receipt, ReceiptRepository } from './receipt.repository.js';

type DispatcherSettings = DirectSettings &
  Pick<
    IngressSettings,
    | 'INLINE_LIMIT_BYTES'
    | 'MAX_WAITING_JOBS'
    | 'PROJECT_ADVANCE'
    | 'PROJECT_MESSAGES_PER_SECOND'
    | 'PROJECT_MAX_WAITING'
  >;

/** How a receipt is handed to the gateway. */
interface EnqueueOptions {
  /** When its wait began, in ms since the epoch. Absent: now. */
  sinceMs?: number;
  /** For a receipt that is enqueued again: the attempts recorded in its timeline. */
  attempts?: number;
  surplus?: boolean;
  /** Absent: the gateway parses it. */
  endpoint?: Endpoint;
}

/** Most ids kept in memory; the sweep finds the rest. */
const maxInLine = 500_000;
const feedEveryMs = 50;
const feedBatch = 500;
/** After adding this many, the queues' lengths are read again. */
const lookAfter = 256;
/** A message may wait in each of these queues, and a backlog in one of them delays all that follow. */
const queues = [inboundParse, messageRoute, turnRun, deliverySend].map(({ queue }) => queue);

/**
 * Enqueues receipts for the gateway. Messages within a project's share go at once. The rest go as surplus, which is
 * handled after everything within a share, and stops when the queues are long enough: one more job would be handled no
 * sooner, but would cost Redis memory and the sender's answer CPU. Only ids wait here; the bodies wait in Postgres. As
 * the queues drain, the waiting projects take turns.
 */
@Injectable()
export class Dispatcher implements OnApplicationShutdown {
  private readonly trouble = new LastingTrouble('dispatcher', 'receipts.not_enqueued');
  private readonly lines = new ProjectLines(maxInLine);
  private readonly shares: ProjectShares;
  private readonly rates: ProjectRates;
  private readonly direct: DirectRoutes;
  private waiting = { own: 0, surplus: 0 };
  private addedSince = 0;
  /** How many of those Redis has not confirmed: a reading of the queues' lengths may miss them. */
  private unconfirmed = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly jobs: JobClient,
    private readonly receipts: ReceiptRepository,
    @Inject(SETTINGS) private readonly settings: DispatcherSettings,
    private readonly at: PublicAddress,
    @Inject(ProjectLimits) limits: Pick<ProjectLimits, 'of'>,
    @Inject(Journal) private readonly journal: Pick<Journal, 'append'>,
    @Inject(HeldProjects) private readonly moving: Pick<HeldProjects, 'of' | 'isFresh' | 'find'>,
  ) {
    this.rates = new ProjectRates(
      (projectId) => limits.of(projectId).messages_per_second ?? settings.PROJECT_MESSAGES_PER_SECOND,
    );
    this.shares = new ProjectShares(settings.PROJECT_ADVANCE);
    this.direct = new DirectRoutes(settings);
  }

  /**
   * Enqueues a receipt now, or when there is room for its project.
   * @param attempts for a receipt that is enqueued again: the attempts recorded in its timeline
   * @param endpoint of a receipt that has just come: it may need no parse by the gateway
   */
  offer(receipt: Receipt, attempts?: number, endpoint?: Endpoint): void {
    const { id, projectId } = receipt;
    const attempt = attempts === undefined ? {} : { attempts };
    const waits = this.lines.lengthOf(projectId) > 0;
    const within = this.shares.take(projectId);
    if (!waits && this.roomFor(within) > 0 && this.rates.take(projectId)) {
      void this.enqueue(receipt, { ...attempt, surplus: !within, ...(endpoint && within ? { endpoint } : {}) });
    } else {
      if (attempts === undefined) this.enterWaiting(receipt);
      this.lines.add({ projectId, id, ...attempt });
    }
    this.schedule();
  }

  /**
   * Seconds that a project with a limit should wait before it sends more, because too much waits already; null: it may
   * send. Checked before a receipt is acknowledged: an acknowledged receipt waits, however long that takes.
   */
  fullForS(projectId: string): number | null {
    const rate = this.rates.rateOf(projectId);
    if (rate === 0) return null;
    const over = this.lines.lengthOf(projectId) - this.settings.PROJECT_MAX_WAITING;
    return over < 0 ? null : Math.max(1, Math.ceil(over / rate));
  }

  /** Messages per second that a project may send; 0: no limit. */
  rateOf(projectId: string): number {
    return this.rates.rateOf(projectId);
  }

  /** Projects now over their share, and messages that wait for room or for their project's limit. */
  get held(): { projects: number; messages: number } {
    return { projects: this.shares.over, messages: this.lines.size };
  }

  /** Enqueues a receipt at once. @returns false when Redis did not take the job, or its project moves: then it waits */
  async enqueue(
    receipt: Receipt,
    { sinceMs, attempts, surplus = false, endpoint }: EnqueueOptions = {},
  ): Promise<boolean> {
    if (!this.moving.isFresh && !(await this.asksHolds(receipt))) return false;
    const held = this.moving.of(receipt.projectId);
    if (held) {
      if (attempts === undefined && held.state === 'leaving') this.journal.append(movesEntry(receipt, held));
      return false;
    }
    this.addedSince += 1;
    this.unconfirmed += 1;
    // Makes sure the queues' lengths are read again: without that, what is added here would use up the room for good.
    this.schedule();
    // A receipt that is enqueued again has lost its place in the order.
    if (attempts === undefined || receipt.outcome === 'held') this.jobs.order.enter(receipt.appId, receipt.id);
    const job = parseJob(receipt, this.settings.INLINE_LIMIT_BYTES, this.at);
    const says = attempts !== undefined || surplus;
    const custody = { ...(attempts === undefined ? {} : { attempts }), ...(surplus ? { surplus: true as const } : {}) };
    const route = endpoint ? this.direct.routeOf(receipt, endpoint, job.request) : null;
    try {
      if (route) return await this.jobs.enqueue(messageRoute, route, sinceMs);
      return await this.jobs.enqueue(inboundParse, says ? { ...job, custody } : job, sinceMs);
    } finally {
      this.unconfirmed -= 1;
    }
  }

  /**
   * Receipts that the queues have room for if they travel in full batches, as they do whenever room is short. Smaller
   * batches are accounted for at the next reading of the queues' lengths.
   */
  get room(): number {
    return this.roomFor(false);
  }

  /** Whether a receipt waits here: it is late, not lost. */
  holds(id: string): boolean {
    return this.lines.has(id);
  }

  /** Age of the oldest receipt that waits here. */
  get oldestMs(): number {
    return this.lines.oldestMs;
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** @returns false when that is not known now: the sweep comes back to the receipt */
  private asksHolds({ projectId }: Receipt): Promise<boolean> {
    return this.moving.find(projectId).then(
      () => true,
      () => false,
    );
  }

  /** Surplus takes no room from what is within a share. */
  private roomFor(within: boolean): number {
    const waiting = this.waiting.own + (within ? 0 : this.waiting.surplus);
    return (this.settings.MAX_WAITING_JOBS - waiting) * batchLimits.maxItems - this.addedSince;
  }

  private schedule(): void {
    if (this.stopped || this.timer) return;
    const isUnseen = this.addedSince >= lookAfter || this.room <= 0;
    if (this.lines.size === 0 && !this.shares.isLow && !isUnseen) return;
    this.timer = setTimeout(() => void this.tick(), feedEveryMs);
  }

  /** Reads the queues' lengths and enqueues what there is room for; stops once there is nothing to do. */
  private async tick(): Promise<void> {
    try {
      await this.look();
      while (this.lines.size > 0 && this.room > 0 && !this.stopped) {
        if (!(await this.feed())) break;
      }
      this.trouble.works('receipts');
    } catch (error) {
      this.trouble.fails('receipts', error);
    }
    this.timer = undefined;
    this.schedule();
  }

  private async look(): Promise<void> {
    const added = this.addedSince - this.unconfirmed;
    const read = await Promise.all(queues.map((queue) => this.jobs.waiting(queue)));
    const sum = (of: 'own' | 'surplus'): number => read.reduce((all, each) => all + each[of], 0);
    this.waiting = { own: sum('own'), surplus: sum('surplus') };
    this.addedSince -= added;
    const { own, surplus } = this.waiting;
    this.shares.read(
      { ownIsDone: own === 0, surplusIsDone: surplus === 0, added, nowMs: performance.now() },
      (projectId) => this.lines.lengthOf(projectId) > 0,
    );
  }

  /** @returns whether there was anything to enqueue */
  private async feed(): Promise<boolean> {
    const taken = this.lines.take(Math.min(this.room, feedBatch), (projectId) => this.rates.take(projectId));
    if (taken.length === 0) return false;
    const receipts = await this.read(taken);
    const attemptsOf = new Map(taken.map(({ id, attempts }) => [id, attempts]));
    await Promise.all(
      receipts.map((receipt) => {
        const attempts = attemptsOf.get(receipt.id);
        const since = { sinceMs: receipt.receivedAt.getTime(), surplus: this.shares.isOver(receipt.projectId) };
        return this.enqueue(receipt, attempts === undefined ? since : { ...since, attempts });
      }),
    );
    return true;
  }

  private enterWaiting(receipt: Receipt): void {
    const { projectId } = receipt;
    const entry = waitingEntry(receipt, this.lines.lengthOf(projectId), this.rates.rateOf(projectId));
    if (entry) this.journal.append(entry);
  }

  private async read(taken: InLine[]): Promise<Receipt[]> {
    try {
      return await this.receipts.findAll(taken.map(({ id }) => id));
    } catch (error) {
      this.lines.putBack(taken);
      throw error;
    }
  }
}

/** The timeline entry of a receipt that came while its project was on its way to another installation. */
function movesEntry(receipt: Receipt, { peer }: HeldProject): JournalEntry {
  const advice = 'It is stored, and handled where the project is when the move has ended or was aborted.';
  return {
    receipt_id: receipt.id,
    ...columnsOf(receipt),
    app_id: receipt.appId,
    stage: 'received',
    outcome: 'held',
    reason: 'project_moves',
    detail: { to: peer, advice },
  };
}

/** Shorter waits are not worth an entry. */
const enteredFromS = 2;
/** Messages ahead, for a project without a limit of its own, which goes as fast as it can. */
const enteredFromAhead = 1_000;

/** The timeline entry of a receipt that waits behind others of its project; null when it will not wait long. */
function waitingEntry(receipt: Receipt, ahead: number, rate: number): JournalEntry | null {
  if (rate > 0 ? ahead < rate * enteredFromS : ahead < enteredFromAhead) return null;
  const advice =
    rate > 0
      ? `It waits: ${ahead} messages of its project are ahead, and the project's limit is ${rate} a second. Raise messages_per_second in the project's settings or with PUT /api/v1/projects/<id>/limits.`
      : `It waits: ${ahead} messages of its project are ahead, and the project sends faster than they are handled. Other projects are not delayed. Add replicas of the busy services, or send less.`;
  return {
    receipt_id: receipt.id,
    ...columnsOf(receipt),
    app_id: receipt.appId,
    stage: 'received',
    outcome: 'held',
    reason: rate > 0 ? 'project_limit' : 'project_share',
    detail: { ahead, ...(rate > 0 ? { limit_per_second: rate } : {}), advice },
  };
}
