import { jobs } from '#libs/contracts';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobBatch } from './job-batch.js';
import { consumerConnection, queuePrefix, type RedisConnection, surplusLane } from './connection.js';
import { Consumer } from './consumer.js';
import { serverOf, takeHere } from './hand-over.js';
import { RedisHealth } from './health/redis-health.js';
import { JobClient } from './job-client.js';
import { JobRunner } from './job-runner.js';
import { hasSurplus } from './queue-lanes.js';
import { patience, type Patience, Watchdog } from './watchdog.js';

export interface JobServerOptions {
  redisUrl: string;
  /** Absent: one of its own. */
  health?: RedisHealth;
  /** The queues this service consumes; each of their jobs needs one handler and one handler for its dead letters. */
  queues: string[];
  /**
   * BullMQ jobs of one queue that run at the same time in this process; each may carry a batch of 32. Four times as
   * many may wait on other jobs beside them.
   */
  concurrency: number;
  /** As `concurrency`, for surplus; one at a time while other jobs come. Absent: the same. */
  surplusConcurrency?: number;
  /** The share of its time that surplus may take in this process while other jobs come, over 0. Absent: all of it. */
  surplusDuty?: number;
  /**
   * Jobs of one queue at a time that producers in this process may hand over without Redis, within `concurrency`; 0:
   * none. Absent: as many as `concurrency`.
   */
  handOver?: number;
  patience?: Patience;
  /** What happens when new consumers take nothing either. Absent: the process is asked to end, as by its supervisor. */
  giveUp?: (reason: string) => void;
}

/** A queue's own jobs or its surplus: what consumes them now. */
interface Lane {
  consumer: Consumer<JobBatch>;
  connection: RedisConnection;
}

type Take = (job: string, batch: JobBatch, consumer: Consumer<JobBatch>) => Promise<void>;

/** It drains, and whoever keeps it starts it again. */
const endProcess = (): void => void process.kill(process.pid, 'SIGTERM');

/** After a job that is not surplus, surplus makes way for this long, in case another one comes. */
const wayIsMadeMs = 1_000;

/** BullMQ as a transport of `@nestjs/microservices`: handlers are `@EventPattern` methods named after their job. */
export class JobServer extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  private readonly lanes = new Map<string, Lane>();
  /** Consumers that were replaced, until what they had begun has ended. */
  private readonly ending = new Set<Promise<void>>();
  private readonly retries: JobClient;
  private readonly runner: JobRunner;
  private readonly watchdog: Watchdog;
  private readonly health: RedisHealth;
  /** The project whose surplus was taken last. */
  private lastSurplus: unknown;
  /** Timers that end the time in which surplus makes way. */
  private readonly ways = new Map<Lane, NodeJS.Timeout>();
  /** Each ends the handing over of one queue's jobs. */
  private endTaking: (() => void)[] = [];

  constructor(private readonly options: JobServerOptions) {
    super();
    this.health = options.health ?? new RedisHealth();
    this.retries = new JobClient(options.redisUrl, this.health);
    this.runner = new JobRunner(this.retries, (pattern) => this.messageHandlers.get(pattern) ?? null, this.logger);
    this.watchdog = new Watchdog(options.patience ?? patience, options.giveUp ?? endProcess);
  }

  override listen(callback: () => void): void {
    this.requireHandlers();
    const connection = consumerConnection(this.options.redisUrl, this.health);
    for (const queue of this.options.queues) {
      const surplus = hasSurplus(queue) ? this.open(surplusLane(queue), queue, connection, null) : null;
      const own = this.open(queue, queue, connection, surplus && ((batch) => this.makeWay(surplus, batch)));
      this.takeHandedOver(queue, own);
    }
    callback();
  }

  /** Stops taking jobs and waits for the running ones. */
  override async close(): Promise<void> {
    for (const end of this.endTaking.splice(0)) end();
    for (const way of this.ways.values()) clearTimeout(way);
    this.watchdog.close();
    const lanes = [...this.lanes.values()];
    await Promise.allSettled([...this.ending, ...lanes.map(({ consumer }) => consumer.close())]);
    await this.retries.close();
    for (const { connection } of lanes) connection.disconnect();
  }

  /** Consumers made anew since the start, by lane. */
  get renewed(): ReadonlyMap<string, number> {
    return this.watchdog.renewed;
  }

  override on(): never {
    throw new Error('the job transport has no events of its own');
  }

  override unwrap<T>(): T {
    return Array.from(this.lanes.values(), ({ consumer }) => consumer) as T;
  }

  /**
   * Runs surplus one job at a time, with rests, while other jobs come: they have to wait for whatever the process is
   * running, and for a core while other processes run surplus.
   */
  private makeWay(surplus: Lane, { items }: JobBatch): void {
    // A project need not make way for itself.
    if (items.every(({ payload }) => payload['project_id'] === this.lastSurplus)) return;
    clearTimeout(this.ways.get(surplus));
    surplus.consumer.pace(1, this.options.surplusDuty ?? 1);
    const end = (): void => {
      surplus.consumer.pace(this.surplusConcurrency, 1);
    };
    this.ways.set(surplus, setTimeout(end, wayIsMadeMs).unref());
  }

  /** While Redis refuses the work itself, no other consumer and no other process would do better. */
  private get isRefused(): boolean {
    return (this.health.state()?.code ?? 'unreachable') !== 'unreachable';
  }

  private get surplusConcurrency(): number {
    return this.options.surplusConcurrency ?? this.options.concurrency;
  }

  /** What is handed over runs under this service's name and log, not under its producer's. */
  private takeHandedOver(queue: string, lane: Lane): void {
    const inService = AsyncLocalStorage.snapshot();
    const most = this.options.handOver ?? this.options.concurrency;
    const take = (job: string, batch: JobBatch): boolean => inService(() => lane.consumer.take(job, batch, most));
    this.endTaking.push(takeHere(serverOf(this.options.redisUrl), queue, take));
  }

  /** @param onOwn what a job of the queue's own lane means to its surplus; null: nothing, or this is the surplus */
  private open(
    name: string,
    queue: string,
    connection: RedisConnection,
    onOwn: ((batch: JobBatch) => void) | null,
  ): Lane {
    const take: Take = (job, batch, consumer) => {
      if (name === queue) onOwn?.(batch);
      else this.lastSurplus = batch.items.at(-1)?.payload['project_id'];
      return this.runner.run(job, batch, (wait) => consumer.letWait(batch, wait));
    };
    const lane: Lane = { connection, consumer: this.consume(name, queue, connection, take) };
    let takenBefore = 0;
    this.watchdog.watch({
      lane: name,
      taken: () => takenBefore + lane.consumer.begun,
      free: () => lane.consumer.hasRoom,
      due: async () => (this.isRefused ? 0 : this.retries.due(queue, name)),
      renew: () => {
        const { consumer: old, connection: shared } = lane;
        takenBefore += old.begun;
        lane.connection = consumerConnection(this.options.redisUrl, this.health);
        lane.consumer = this.consume(name, queue, lane.connection, take);
        const ended = Promise.allSettled([old.abandon()]).then(() => {
          this.ending.delete(ended);
          if (![...this.lanes.values()].some((each) => each.connection === shared)) shared.disconnect();
        });
        this.ending.add(ended);
      },
    });
    this.lanes.set(name, lane);
    return lane;
  }

  private consume(lane: string, queue: string, connection: RedisConnection, take: Take): Consumer<JobBatch> {
    const places = lane === queue ? this.options.concurrency : this.surplusConcurrency;
    const consumer: Consumer<JobBatch> = new Consumer<JobBatch>(
      lane,
      (job, batch) => take(job, batch, consumer),
      places,
      connection,
      {
        connection,
        prefix: queuePrefix(queue),
        // A stalled job is a killed process, not a bad job. It runs again, and the rows decide what is left to do. Sweeps
        // find a dead process's work sooner than this; a shorter lock would run jobs of a busy process twice.
        maxStalledCount: 1_000,
        stalledInterval: 2_000,
        lockDuration: 10_000,
        // After an error of Redis. BullMQ's own 15 s would be added to every outage.
        runRetryDelay: 1_000,
      },
    );
    consumer.on('error', (error) => {
      if (!this.health.note(error)) this.logger.debug?.(`queue ${lane}: ${error.message}`);
    });
    return consumer;
  }

  private requireHandlers(): void {
    const wanted = jobs
      .filter((job) => this.options.queues.includes(job.queue))
      .flatMap((job) => [job.name, `${job.name}.dead`]);
    for (const pattern of wanted) {
      const handler = this.messageHandlers.get(pattern);
      if (!handler) throw new Error(`No handler for the job ${pattern}: add an @EventPattern('${pattern}') method.`);
      if (handler.next) throw new Error(`Two handlers for the job ${pattern}: each job has exactly one.`);
    }
    for (const pattern of this.messageHandlers.keys()) {
      if (!wanted.includes(pattern)) throw new Error(`A handler for ${pattern}, which this service does not consume.`);
    }
  }
}
