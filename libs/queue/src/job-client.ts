import { Batcher } from '#libs/batching';
import type { JobContract } from '#libs/contracts';
import { jobs } from '#libs/contracts';
import { exportsTraces, traceparent } from '#libs/telemetry';
import { ClientProxy, type ReadPacket } from '@nestjs/microservices';
import type { Queue } from 'bullmq';
import { ArrivalOrder } from './arrival-order.js';
import { AwayShards } from './away-shards.js';
import { handOver, serverOf } from './hand-over.js';
import { RedisHealth } from './health/redis-health.js';
import { RedisProbe } from './health/redis-probe.js';
import { batchesOf, batchId, isSurplus, type JobBatch, type JobItem, oldestOf, ownBatchId } from './job-batch.js';
import { producerConnection, queuePrefix, type RedisConnection } from './connection.js';
import { type Depth, depthOf, dueIn, heldIn, type Waiting, waitingIn } from './queue-depth.js';
import { QueueLanes } from './queue-lanes.js';
import { redisMemory } from './redis-memory.js';
import { ShardMarks } from './shard-marks.js';
import { shardName, shardOf } from './shards.js';

/**
 * Adds jobs. Adding never throws for Redis: a job may be lost, because the rows are the truth and sweepers add again.
 */
export class JobClient extends ClientProxy {
  private readonly redis: RedisConnection;
  private readonly lanes: QueueLanes;
  private readonly senders = new Map<string, Batcher<JobItem, boolean>>();
  /** Adds that Redis refused since the start, by job name: a metric, and a sign that sweepers have work. */
  readonly missed = new Map<string, number>();
  /** First attempts that Redis took, by job name. */
  readonly enqueued = new Map<string, number>();
  /** First attempts that a consumer in this process took, of which Redis does not know, by job name. */
  readonly handedOver = new Map<string, number>();
  readonly order: ArrivalOrder;
  private probe: RedisProbe | null = null;
  private readonly marks: ShardMarks;
  private readonly away: AwayShards;
  private readonly redisServer: string;

  /**
   * @param health shared by all connections of a service
   * @param shards into which each queue is split whose jobs carry their project
   */
  constructor(
    redisUrl: string,
    readonly health = new RedisHealth(),
    private readonly shards = 1,
  ) {
    super();
    this.redisServer = serverOf(redisUrl);
    this.redis = producerConnection(redisUrl, health);
    this.lanes = new QueueLanes(this.redis, health);
    this.order = new ArrivalOrder(this.redis, health);
    this.marks = new ShardMarks(this.redis, health, shards);
    const answers = (queue: string, shard: number): Promise<unknown> =>
      this.redis.exists(`${queuePrefix(queue, shard)}:check`);
    this.away = new AwayShards(answers, () => health.noteReturn());
    this.redis.on('ready', () => this.away.forget());
  }

  /**
   * Probes Redis until the client is closed, also while nothing is to be done. It learns the shards of each queue that
   * the client is asked about. @param queues that the service consumes, to which Redis has to take writes
   */
  watch(queues: string[]): void {
    this.probe ??= new RedisProbe(this.redis, this.health, this.marks, this.away, queues);
    this.probe.start();
  }

  /**
   * Has a job done: by a consumer in this process that has a free place, else through the queue. Call it after the
   * commit of the row that says what is to be done.
   * @param sinceMs when its wait began, in ms since the epoch, if before now
   * @returns false when Redis did not take it; the caller's row stays unfinished and its sweeper adds the job again
   */
  async enqueue<P extends object>(contract: JobContract<P>, payload: P, sinceMs = Date.now()): Promise<boolean> {
    const item = itemOf(payload, sinceMs);
    const shard = shardOf(contract, item.payload, this.shards);
    if (!this.away.has(contract.queue, shard)) return this.sender(contract, shard).add(item);
    // Alone, so that it waits for no other.
    const [isTaken = false] = await this.sendTogether(contract, shard, [item]);
    return isTaken;
  }

  /**
   * Enqueues a job after a delay, under the contract's own id, so that adding the same job twice makes one job.
   * @returns false when Redis did not take it, as `enqueue`
   */
  async enqueueLater<P extends object>(contract: JobContract<P>, payload: P, delayMs: number): Promise<boolean> {
    const batch = { items: [itemOf(payload, Date.now())] };
    try {
      const options = { jobId: contract.jobId(payload), delay: delayMs, ...keepNothing };
      const lane = await this.laneFor(contract, batch);
      await lane.add(contract.name, batch, options);
      return true;
    } catch (error) {
      this.health.note(error);
      count(this.missed, contract);
      return false;
    }
  }

  /**
   * Sends one item alone after a delay, as a retry. Unlike `enqueue` it throws, because no row knows of the retry yet.
   */
  async republish(contract: JobContract, item: JobItem, delayMs: number): Promise<void> {
    const batch = { items: [item] };
    // The job that it comes from may still hold the plain id, and an add under a known id is ignored.
    const jobId = `${ownBatchId(contract, batch) ?? batchId(contract, batch)}_at_${Date.now() + delayMs}`;
    try {
      const lane = await this.laneFor(contract, batch);
      await lane.add(contract.name, batch, { jobId, delay: delayMs, ...keepNothing });
    } catch (error) {
      this.health.note(error);
      throw error;
    }
  }

  /** What the server reports about itself. @throws when Redis does not answer */
  async server(): Promise<{ version: string; policy: string; nowMs: number }> {
    const [info, [seconds, micros]] = await Promise.all([this.redis.info(), this.redis.time()]);
    const fieldOf = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? 'unknown';
    const nowMs = Number(seconds) * 1_000 + Number(micros) / 1_000;
    return { version: fieldOf('redis_version'), policy: fieldOf('maxmemory_policy'), nowMs };
  }

  /** @throws when Redis does not answer */
  memory(): ReturnType<typeof redisMemory> {
    return redisMemory(this.redis);
  }

  /** Shards of a queue in which jobs may wait: more than this process adds to, if others had more lately. */
  shardsOf(queue: string): number {
    return this.marks.of(queue);
  }

  /** In the shards that answer. @throws when none does */
  waiting(queue: string): Promise<Waiting> {
    return waitingIn(this.redis, queue, this.shardsOf(queue));
  }

  /** Jobs of a lane that a consumer could take now. @throws when Redis does not answer */
  due(queue: string, shard: number, lane: string): Promise<number> {
    return dueIn(this.redis, queue, shard, lane);
  }

  /** Jobs of a shard that have not ended. @throws when Redis does not answer */
  held(queue: string, shard: number): Promise<number> {
    return heldIn(this.redis, queue, shard);
  }

  /** Jobs per state of one queue, surplus and all shards together that answer. @throws when none does */
  depth(queue: string): Promise<Depth> {
    return depthOf(this.lanes.all(queue, this.shardsOf(queue)));
  }

  /**
   * How long, in ms, a job waits until the consumers of a queue get to it; 0 while Redis does not answer. A sweeper may
   * add the job of a row again only when the row is older by this much: otherwise it would only lengthen the queue.
   */
  async behindMs(queue: string): Promise<number> {
    try {
      return (await this.depth(queue)).oldestMs;
    } catch (error) {
      this.health.note(error);
      return 0;
    }
  }

  /** Calls the listener whenever Redis is connected, the first time included: what it held may be lost. */
  onReady(listener: () => void): void {
    this.redis.on('ready', listener);
  }

  override async connect(): Promise<void> {
    // Connects lazily by design: a service starts and answers while Redis is down.
  }

  override async close(): Promise<void> {
    await this.probe?.stop();
    await Promise.all([...this.senders.values()].map((sender) => sender.drain()));
    await this.lanes.close();
    this.redis.disconnect();
  }

  /** Nest calls this on shutdown, after the servers and workers have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  override unwrap<T>(): T {
    return this.redis as T;
  }

  protected override publish(): () => void {
    throw new Error('jobs have no reply: use emit');
  }

  protected override async dispatchEvent<T>(packet: ReadPacket): Promise<T> {
    const contract = jobs.find((job) => job.name === packet.pattern);
    if (!contract) throw new Error(`no job is named ${String(packet.pattern)}`);
    return (await this.enqueue(contract as JobContract, packet.data as object)) as T;
  }

  /** Those of one shard go together: they share a node of Redis, and no other shard waits for it. */
  private sender(contract: JobContract, shard: number): Batcher<JobItem, boolean> {
    const key = shardName(contract.name, shard);
    let sender = this.senders.get(key);
    if (!sender) {
      sender = new Batcher((items) => this.sendTogether(contract, shard, items), {
        maxItems: 256,
        maxWaitMs: 0,
        maxRunning: 1,
      });
      this.senders.set(key, sender);
    }
    return sender;
  }

  private async sendTogether(contract: JobContract, shard: number, items: JobItem[]): Promise<boolean[]> {
    const toQueue = batchesOf(items).filter((batch) => !this.handsOver(contract, shard, batch));
    const left = toQueue.reduce((sum, batch) => sum + batch.items.length, 0);
    count(this.handedOver, contract, items.length - left);
    if (left === 0) return items.map(() => true);
    const lanes = Map.groupBy(toQueue, (batch) => this.lanes.of(contract, shard, batch));
    try {
      await this.away.reach(contract.queue, shard, async () => {
        if (shard > 0) await this.marks.mark(contract.queue);
        for (const [lane, together] of lanes) {
          const adds = together.map((batch) => addOf(contract, batch, batchId(contract, batch)));
          // One round trip: Redis handles the requests of one connection in their order.
          const [taken] = await Promise.all([this.takenIn(lane, contract, together), addTo(lane, adds)]);
          if (taken.length > 0) await addTo(lane, taken);
        }
      });
      count(this.enqueued, contract, left);
      return items.map(() => true);
    } catch (error) {
      this.health.note(error);
      count(this.missed, contract, left);
      const missed = new Set(toQueue.flatMap((batch) => batch.items));
      return items.map((item) => !missed.has(item));
    }
  }

  /** Surplus waits in its lane, and what no sweep would find again is kept by Redis. */
  private handsOver(contract: JobContract, shard: number, batch: JobBatch): boolean {
    if (contract.isUnswept || batch.items.some(isSurplus)) return false;
    return handOver(this.redisServer, shardName(contract.queue, shard), contract.name, batch);
  }

  private async laneFor(contract: JobContract, batch: JobBatch): Promise<Queue> {
    const shard = shardOf(contract, batch.items[0]?.payload ?? {}, this.shards);
    if (shard > 0) await this.marks.mark(contract.queue);
    return this.lanes.of(contract, shard, batch);
  }

  /**
   * BullMQ ignores an add under an id that another row's job has. Two clients that add at the same instant do not see
   * each other: then the sweep of the row's owner adds again.
   * @returns the jobs of batches whose id is taken, each under an id of its own
   */
  private async takenIn(lane: Queue, contract: JobContract, batches: JobBatch[]): Promise<Add[]> {
    const found = await Promise.all(
      batches.map(async (batch) => {
        const ownId = ownBatchId(contract, batch);
        if (ownId === null || (await this.redis.exists(lane.toKey(batchId(contract, batch)))) === 0) return [];
        return [addOf(contract, batch, ownId)];
      }),
    );
    return found.flat();
  }
}

interface Add {
  name: string;
  data: JobBatch;
  opts: { jobId: string; timestamp: number };
}

const addOf = ({ name }: JobContract, batch: JobBatch, jobId: string): Add => ({
  name,
  data: batch,
  opts: { jobId, timestamp: oldestOf(batch), ...keepNothing },
});

async function addTo(lane: Queue, adds: Add[]): Promise<void> {
  const [only] = adds;
  if (adds.length === 1 && only) await lane.add(only.name, only.data, only.opts);
  else await lane.addBulk(adds);
}

function count(counts: Map<string, number>, { name }: JobContract, more = 1): void {
  if (more > 0) counts.set(name, (counts.get(name) ?? 0) + more);
}

/** A job's first attempt. It carries its place in the trace if traces are exported. */
function itemOf(payload: object, addedAtMs: number): JobItem {
  const given = payload as Record<string, unknown>;
  const parent = exportsTraces() ? traceparent(String(given['receipt_id'])) : undefined;
  return { payload: given, attempts: 0, addedAtMs, ...(parent === undefined ? {} : { traceparent: parent }) };
}

// A finished job's id would block the sweeper's next add for the same row; what happened is in Postgres.
const keepNothing = { removeOnComplete: true, removeOnFail: true };
