import type { LoggerService } from '@nestjs/common';
import { consumerConnection, queuePrefix, type RedisConnection } from './connection.js';
import { Consumer } from './consumer.js';
import type { RedisHealth } from './health/redis-health.js';
import type { JobBatch } from './job-batch.js';
import type { Places } from './places.js';
import { shardName } from './shards.js';
import type { Watchdog } from './watchdog.js';

/** What the lanes of a server share. */
export interface LaneContext {
  redisUrl: string;
  /** Of all lanes, until one is made anew. */
  connection: RedisConnection;
  health: RedisHealth;
  watchdog: Watchdog;
  logger: LoggerService;
  /** Jobs of a lane that a consumer could take now. */
  due(queue: string, shard: number, lane: string): Promise<number>;
}

/** A shard's own jobs or its surplus. */
export interface LaneOptions {
  queue: string;
  shard: number;
  /** BullMQ's name for it, within the prefix of its shard. */
  name: string;
  places: Places;
  take: (job: string, batch: JobBatch) => Promise<void>;
}

/** What consumes one lane: made anew when it takes nothing of what is due. */
export class Lane {
  private current: Consumer<JobBatch>;
  /** Since it was made anew. */
  private connection: RedisConnection | null = null;
  /** Jobs that earlier consumers took. */
  private takenBefore = 0;
  /** Consumers that were replaced, until what they had begun has ended. */
  private readonly ending = new Set<Promise<void>>();
  private readonly endWatch: () => void;

  constructor(
    private readonly context: LaneContext,
    private readonly options: LaneOptions,
  ) {
    const { queue, shard, name, places } = options;
    this.current = this.consume();
    this.endWatch = context.watchdog.watch({
      lane: shardName(name, shard),
      taken: () => this.takenBefore + this.current.begun,
      free: () => places.hasRoom,
      due: () => context.due(queue, shard, name),
      renew: () => this.renew(),
    });
  }

  get consumer(): Consumer<JobBatch> {
    return this.current;
  }

  /** Takes no more jobs, and ends when the running ones have. */
  async close(): Promise<void> {
    this.endWatch();
    await Promise.allSettled([...this.ending, this.current.close()]);
    this.connection?.disconnect();
  }

  private renew(): void {
    const { current: old, connection: before } = this;
    this.takenBefore += old.begun;
    this.connection = consumerConnection(this.context.redisUrl, this.context.health);
    this.current = this.consume();
    const ended = Promise.allSettled([old.abandon()]).then(() => {
      this.ending.delete(ended);
      before?.disconnect();
    });
    this.ending.add(ended);
  }

  private consume(): Consumer<JobBatch> {
    const { queue, shard, name, places, take } = this.options;
    const { health, logger } = this.context;
    const connection = this.connection ?? this.context.connection;
    const consumer = new Consumer<JobBatch>(name, take, places, connection, {
      connection,
      prefix: queuePrefix(queue, shard),
      // A stalled job is a killed process, not a bad job. It runs again, and the rows decide what is left to do. Sweeps
      // find a dead process's work sooner than this; a shorter lock would run jobs of a busy process twice.
      maxStalledCount: 1_000,
      stalledInterval: 2_000,
      lockDuration: 10_000,
      // After an error of Redis. BullMQ's own 15 s would be added to every outage.
      runRetryDelay: 1_000,
    });
    consumer.on('error', (error) => {
      if (!health.note(error)) logger.debug?.(`queue ${shardName(name, shard)}: ${error.message}`);
    });
    return consumer;
  }
}
