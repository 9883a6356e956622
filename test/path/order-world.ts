import { noLimits } from '#libs/project-limits';
import { createService, ServiceTokens } from '#libs/service-kit';
import { JobClient } from '#libs/queue';
import { testDatabase, testPool, testRedisUrl, testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { AppModule as GatewayModule } from '../../apps/adapter-gateway/src/app.module.js';
import { InboundService } from '../../apps/adapter-gateway/src/path/inbound/inbound.service.js';
import { gatewayDefaults } from '../../apps/adapter-gateway/src/testing/gateway-world.js';
import { AppModule as EngineModule } from '../../apps/engine/src/app.module.js';
import { engineDefaults } from '../../apps/engine/src/testing/engine-world.js';
import { TurnJobService } from '../../apps/engine/src/path/turns/turn-job.service.js';
import { AppModule as RouterModule } from '../../apps/router/src/app.module.js';
import { ChannelRepository } from '../../apps/router/src/manage/channels/channel.repository.js';
import { RoutingService } from '../../apps/router/src/path/routing/routing.service.js';
import { caller, plainChannel, routerDefaults } from '../../apps/router/src/testing/router-world.js';
import { Dispatcher } from '../../apps/webhook-ingress/src/path/receipts/dispatcher.js';
import { PublicAddress } from '../../apps/webhook-ingress/src/path/receipts/receipt-job.js';
import { ReceiptRepository } from '../../apps/webhook-ingress/src/path/receipts/receipt.repository.js';
import { noHolds } from '../../apps/webhook-ingress/src/testing/receipts-world.js';
import type { Database } from '#libs/database';

export interface OrderWorld {
  pool: pg.Pool;
  jobs: JobClient;
  /** Enqueues a receipt as the ingress does after its commit. */
  dispatcher: Dispatcher;
  /** A Webhook App whose messages belong to sessions. @returns its id */
  app(inboxMode: 'queue' | 'collect'): Promise<string>;
  close(): Promise<void>;
}

/**
 * Two gateways, two routers and two engines over one database and one Redis. Each hop of each is delayed by `delayMs`.
 * @param HAND_OVER_CONCURRENCY 0: each hop goes through Redis; else as many as these go without it
 */
export async function orderWorld(
  delayMs: () => number,
  ORDER_WAIT_MS: number,
  HAND_OVER_CONCURRENCY = 0,
): Promise<OrderWorld> {
  const database = await testDatabase();
  const redis = new Redis(testRedisUrl());
  for (const queue of ['inbound', 'route', 'turns', 'outbound', 'order']) {
    const keys = await redis.keys(`{gatehouse:q:${queue}}:*`);
    if (keys.length > 0) await redis.del(keys);
  }
  redis.disconnect();
  const pool = testPool(database.url, { max: 4 });
  const started: NestFastifyApplication[] = [];
  const stores = { DATABASE_URL: database.url, DATABASE_POOL: 5 };
  // A log line for each of thousands of jobs would hide other tests' output.
  const settings = { ...routerDefaults(), ...stores, QUEUE_CONCURRENCY: 16, HAND_OVER_CONCURRENCY, LOG_LEVEL: 'warn' };
  const start = async (
    options: Omit<Parameters<typeof createService>[0], 'settings'>,
  ): Promise<NestFastifyApplication> => {
    const app = await createService({ ...options, settings });
    started.push(app);
    return app;
  };
  const gateway = async () => {
    const module = GatewayModule.with({ ...gatewayDefaults, ...stores });
    const app = await start({ name: 'adapter-gateway', module, consumes: ['inbound', 'outbound', 'sync'] });
    const inbound = app.get(InboundService, { strict: false });
    const process = inbound.process.bind(inbound);
    inbound.process = (...job) => pause(delayMs()).then(() => process(...job));
    return app;
  };
  const router = async () => {
    const app = await start({
      name: 'router',
      module: RouterModule.with(settings),
      consumes: ['route', 'outbound-sent'],
    });
    const routing = app.get(RoutingService, { strict: false });
    const route = routing.route.bind(routing);
    routing.route = (...job) => pause(delayMs()).then(() => route(...job));
    return app;
  };
  const engine = async () => {
    const module = EngineModule.with({ ...engineDefaults(), ...stores, ORDER_WAIT_MS });
    const app = await start({ name: 'engine', module, consumes: ['turns'] });
    const turns = app.get(TurnJobService, { strict: false });
    const run = turns.run.bind(turns);
    turns.run = (...job) => pause(delayMs()).then(() => run(...job));
    return app;
  };
  const [first] = await Promise.all([gateway(), gateway()]);
  const [routes] = await Promise.all([router(), router()]);
  await Promise.all([engine(), engine()]);
  for (const app of started) {
    await app.startAllMicroservices();
    await app.listen(0, '127.0.0.1');
  }
  const jobs = new JobClient(testRedisUrl());
  const receipts = new ReceiptRepository(pool as unknown as Database);
  const fed = {
    INLINE_LIMIT_BYTES: 16_384,
    MESSAGE_MAX_DEPTH: 100,
    FILTER_REQUEST_BYTES: 8_192,
    DIRECT_PARSES_PER_SECOND: 0,
    MAX_WAITING_JOBS: 1_000,
    PROJECT_ADVANCE: 1_000,
    PROJECT_MESSAGES_PER_SECOND: 0,
    PROJECT_MAX_WAITING: 1_000,
  };
  const dispatcher = new Dispatcher(
    jobs,
    receipts,
    fed,
    new PublicAddress({ PUBLIC_URL: 'https://gatehouse.example' }),
    { of: () => noLimits },
    { append: () => undefined },
    noHolds,
  );
  const tokens = new ServiceTokens(testServiceKey, 'adapter-gateway');
  return {
    pool,
    jobs,
    dispatcher,
    app: async (inboxMode) => {
      const token = await tokens.mint('adapter-gateway', caller);
      const answer = await fetch(`${await first.getUrl()}/api/v1/apps`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: inboxMode, kind: 'builtin' }),
      });
      const { id } = (await answer.json()) as { id: string };
      const channel = { ...plainChannel, app_id: id, inbox_mode: inboxMode };
      await routes.get(ChannelRepository, { strict: false }).change(caller, channel, channel, null);
      return id;
    },
    close: async () => {
      dispatcher.onApplicationShutdown();
      await Promise.allSettled(started.map((app) => app.close()));
      await jobs.close();
      await pool.end();
      await database.drop();
    },
  };
}
