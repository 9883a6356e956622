import { jobs } from '#libs/contracts';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobBatch } from './job-batch.js';
import { consumerConnection, type RedisConnection } from './connection.js';
import { ConsumedQueue, type Share } from './consumed-queue.js';
import { serverOf, takeHere } from './hand-over.js';
import { RedisHealth } from './health/redis-health.js';
import { JobClient } from './job-client.js';
import { JobRunner } from './job-runner.js';
import type { LaneContext } from './lane.js';
import { LeftShards } from './left-shards.js';
import { isSharded, shardName } from './shards.js';
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
  /** Shards of each queue whose jobs carry their project; all of them share `concurrency`. Absent: 1. */
  shards?: number;
  /** How many shards of a queue may hold jobs, those of processes with another number included. Absent: `shards`. */
  shardsOf?: (queue: string) => number;
  patience?: Patience;
  /** What happens when new consumers take nothing either. Absent: the process is asked to end, as by its supervisor. */
  giveUp?: (reason: string) => void;
}

/** It drains, and whoever keeps it starts it again. */
const endProcess = (): void => void process.kill(process.pid, 'SIGTERM');

/** BullMQ as a transport of `@nestjs/microservices`: handlers are `@EventPattern` methods named after their job. */
export class JobServer extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  private readonly queues: ConsumedQueue[] = [];
  private readonly left: LeftShards;
  private readonly retries: JobClient;
  private readonly runner: JobRunner;
  private readonly watchdog: Watchdog;
  private readonly health: RedisHealth;
  private readonly shards: number;
  private connection: RedisConnection | null = null;
  /** Each ends the handing over of the jobs of one queue's shard. */
  private endTaking: (() => void)[] = [];

  constructor(private readonly options: JobServerOptions) {
    super();
    this.health = options.health ?? new RedisHealth();
    this.shards = options.shards ?? 1;
    this.retries = new JobClient(options.redisUrl, this.health, this.shards);
    this.runner = new JobRunner(this.retries, (pattern) => this.messageHandlers.get(pattern) ?? null, this.logger);
    this.watchdog = new Watchdog(options.patience ?? patience, options.giveUp ?? endProcess);
    const shardsOf = options.shardsOf ?? (() => this.shards);
    this.left = new LeftShards(this.queues, this.shards, {
      shardsOf,
      held: (queue, shard) => this.retries.held(queue, shard),
    });
  }

  override listen(callback: () => void): void {
    this.requireHandlers();
    const context = this.context();
    const last = {};
    for (const name of this.options.queues) {
      const queue = new ConsumedQueue(name, this.share, context, last, (job, batch, waiting) =>
        this.runner.run(job, batch, waiting),
      );
      this.queues.push(queue);
      for (let shard = 0; shard < (isSharded(name) ? this.shards : 1); shard += 1) {
        queue.open(shard);
        this.takeHandedOver(queue, shard);
      }
    }
    this.left.start();
    callback();
  }

  /** Stops taking jobs and waits for the running ones. */
  override async close(): Promise<void> {
    for (const end of this.endTaking.splice(0)) end();
    this.watchdog.close();
    await this.left.stop();
    await Promise.allSettled(this.queues.map((queue) => queue.close()));
    await this.retries.close();
    this.connection?.disconnect();
  }

  /** Consumers made anew since the start, by lane. */
  get renewed(): ReadonlyMap<string, number> {
    return this.watchdog.renewed;
  }

  override on(): never {
    throw new Error('the job transport has no events of its own');
  }

  override unwrap<T>(): T {
    return this.queues.flatMap((queue) => queue.consumers()) as T;
  }

  private get share(): Share {
    const { concurrency, surplusConcurrency = concurrency, surplusDuty = 1 } = this.options;
    return { places: concurrency, surplusPlaces: surplusConcurrency, surplusDuty };
  }

  private context(): LaneContext {
    const { health, watchdog, logger } = this;
    const { redisUrl } = this.options;
    this.connection = consumerConnection(redisUrl, health);
    const due = async (queue: string, shard: number, lane: string): Promise<number> =>
      this.isRefused ? 0 : this.retries.due(queue, shard, lane);
    return { redisUrl, connection: this.connection, health, watchdog, logger, due };
  }

  /** While Redis refuses the work itself, no other consumer and no other process would do better. */
  private get isRefused(): boolean {
    return (this.health.state()?.code ?? 'unreachable') !== 'unreachable';
  }

  /** What is handed over runs under this service's name and log, not under its producer's. */
  private takeHandedOver(queue: ConsumedQueue, shard: number): void {
    const inService = AsyncLocalStorage.snapshot();
    const most = this.options.handOver ?? this.options.concurrency;
    const take = (job: string, batch: JobBatch): boolean => inService(() => queue.take(shard, job, batch, most));
    this.endTaking.push(takeHere(serverOf(this.options.redisUrl), shardName(queue.name, shard), take));
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
