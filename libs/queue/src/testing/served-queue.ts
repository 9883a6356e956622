import { messageRoute, type MessageRoutePayload, newId } from '#libs/contracts';
import { type RedisDatabase, restoreLogs, silenceLogs, takeRedisDatabase, until } from '#libs/testing';
import type { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { JobClient } from '../job-client.js';
import type { JobContext } from '../job-context.js';
import type { DeadJob } from '../job-runner.js';
import { JobServer, type JobServerOptions } from '../job-server.js';

const { name, queue } = messageRoute;

type Handle = (payload: MessageRoutePayload, context: JobContext) => Promise<void> | void;

/** A `message.route` queue in a Redis database of its own, new for each test, and a server of its jobs. */
export class ServedQueue {
  client!: JobClient;
  /** Payloads that were dead-lettered. */
  readonly dead: DeadJob<MessageRoutePayload>[] = [];
  /** Jobs that a server takes without Redis; 0: none. */
  handOver = 0;
  /** Into which client and server split the queue. */
  shards = 1;
  private database!: RedisDatabase;
  private server: JobServer | null = null;

  async open(): Promise<void> {
    silenceLogs();
    this.database = await takeRedisDatabase();
  }

  async close(): Promise<void> {
    await this.database.release();
    restoreLogs();
  }

  /** Before each test. */
  async begin(): Promise<void> {
    this.dead.length = 0;
    this.client = new JobClient(this.url, undefined, this.shards);
    await until('the client is connected', async () => (await this.client.waiting(queue)).own === 0);
  }

  /** After each test. */
  async end(): Promise<void> {
    await this.server?.close();
    this.server = null;
    await this.client.close();
    const redis = new Redis(this.url);
    const keys = await redis.keys('{gatehouse:*');
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  }

  get url(): string {
    return this.database.url;
  }

  /** A server without handlers; the last one is closed after the test. */
  make(options: Partial<JobServerOptions> = {}): JobServer {
    const { handOver, shards } = this;
    this.server = new JobServer({ redisUrl: this.url, queues: [queue], concurrency: 2, handOver, shards, ...options });
    return this.server;
  }

  /** A server that has looked at the queue, so that what comes now may be handed over. */
  async serve(handle: Handle, options: Partial<JobServerOptions> = {}): Promise<JobServer> {
    const server = this.make(options);
    server.addHandler(name, async (payload, context) => handle(payload, context as JobContext), true);
    server.addHandler(`${name}.dead`, async (job: DeadJob<MessageRoutePayload>) => void this.dead.push(job), true);
    server.listen(() => undefined);
    await once(
      server.unwrap<Worker[]>().find((worker) => worker.name === queue)!,
      'drained',
    );
    return server;
  }

  enqueueAll(payloads: MessageRoutePayload[]): Promise<boolean[]> {
    return Promise.all(payloads.map((payload) => this.client.enqueue(messageRoute, payload)));
  }

  /** Resolves when nothing waits, runs or is to be retried. */
  untilIdle(): Promise<unknown> {
    return until('nothing is left', async () => {
      const { waiting, active, delayed } = await this.client.depth(queue);
      return waiting + active + delayed === 0;
    });
  }
}

export const route = (id = newId('evt')): MessageRoutePayload => ({
  receipt_id: id,
  received_at: new Date().toISOString(),
  organization_id: 'org_1',
  project_id: 'prj_1',
  app_id: 'app_1',
  app_kind: 'adapter',
  verified_scheme: 'none',
});
