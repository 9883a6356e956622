import { firstId } from '#libs/contracts';
import { dataSourceOptions, Database } from '#libs/database';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { openLink, type BreakableLink, takeRedisDatabase } from '#libs/testing';
import { randomInt } from 'node:crypto';
import { schema } from '../db/schema.js';
import { type Receipt, ReceiptRepository } from '../path/receipts/receipt.repository.js';
import { StaleReceiptRepository } from '../path/receipts/stale-receipt.repository.js';
import { ReceiptWriter } from '../path/receipts/receipt-writer.js';
import { type IngressWorld, openIngress } from './ingress-world.js';

/** The stores of receipts and what reads and writes them, each store over a link that can be cut. */
export interface ReceiptsWorld extends IngressWorld {
  db: Database;
  receipts: ReceiptRepository;
  stale: StaleReceiptRepository;
  journal: Journal;
  jobs: JobClient;
  /** Directly to Redis, whatever `redis` does. */
  redisUrl: string;
  redis: BreakableLink;
  postgres: BreakableLink;
  /** Over the link that can be cut. */
  writer(batch?: number, leaseMs?: number): ReceiptWriter;
}

export async function receiptsWorld(): Promise<ReceiptsWorld> {
  const world = await openIngress();
  const redisDatabase = await takeRedisDatabase();
  const redis = await openLink(redisDatabase.url);
  const postgres = await openLink(world.databaseUrl);
  const settings = { url: world.databaseUrl, poolSize: 4, applicationName: 'receipts-test' };
  const db = await new Database(dataSourceOptions(schema, settings)).initialize();
  const journal = new Journal(
    db,
    'webhook-ingress',
    () => undefined,
    () => undefined,
  );
  const jobs = new JobClient(redis.url);
  const writers: ReceiptWriter[] = [];
  const { close } = world;
  return Object.assign(world, {
    db,
    receipts: new ReceiptRepository(db),
    stale: new StaleReceiptRepository(db),
    journal,
    jobs,
    redisUrl: redisDatabase.url,
    redis,
    postgres,
    writer: (batch = 256, leaseMs = Number.MAX_SAFE_INTEGER) => {
      const writer = new ReceiptWriter({ DATABASE_URL: postgres.url, RECEIPT_BATCH: batch, RECEIPT_LEASE_MS: leaseMs });
      writers.push(writer);
      return writer;
    },
    close: async () => {
      await Promise.all(writers.map((writer) => writer.onApplicationShutdown()));
      await journal.beforeApplicationShutdown();
      await jobs.close();
      await db.destroy();
      await Promise.all([redis.close(), postgres.close()]);
      await close();
      await redisDatabase.release();
    },
  });
}

/** No project moves. */
export const noHolds = { of: () => null, isFresh: true, find: async () => null };

let made = 0;

/** A receipt whose id contains the time at which it was received, even if that is long ago. */
export function receipt(change: Partial<Receipt> = {}): Receipt {
  const receivedAt = change.receivedAt ?? new Date();
  return {
    id: `${firstId('evt', receivedAt)}${(made += 1).toString(36).padStart(5, '0')}${randomInt(36 ** 5)
      .toString(36)
      .padStart(5, '0')}`,
    receivedAt,
    organizationId: 'org_1',
    projectId: 'prj_1',
    appId: 'app_1',
    outcome: 'accepted',
    reason: null,
    method: 'POST',
    url: '/api/v1/webhooks/***',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
    verifiedScheme: 'none',
    remoteAddress: '127.0.0.1',
    ...change,
  };
}
