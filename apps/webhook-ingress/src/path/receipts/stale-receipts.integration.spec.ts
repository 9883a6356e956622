import { inboundParse, type InboundParsePayload, messageRoute, type MessageRoutePayload } from '#libs/contracts';
import { batchLimits } from '#libs/queue';
import { until } from '#libs/testing';
import { endpoint } from '../../testing/fake-gateway.js';
import { type ParseConsumer, parseConsumer } from '../../testing/parse-consumer.js';
import { noHolds, receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import { noLimits } from '#libs/project-limits';
import { Dispatcher } from './dispatcher.js';
import { PublicAddress } from './receipt-job.js';
import type { Receipt } from './receipt.repository.js';
import type { ReceiptWriter } from './receipt-writer.js';
import { StaleReceipts } from './stale-receipts.js';

const leaseMs = 10_000;
const paused = new Set<string>();
let world: ReceiptsWorld;
let writer: ReceiptWriter;
let dispatcher: Dispatcher;
let staleReceipts: StaleReceipts;
let consumer: ParseConsumer | undefined;
const losses = { sinceLossMs: Number.POSITIVE_INFINITY };
let gate = Promise.withResolvers<void>();

beforeAll(async () => {
  world = await receiptsWorld();
  writer = world.writer();
});
afterAll(() => world.close());

beforeEach(async () => {
  await world.query('TRUNCATE ingress.receipt, ingress.stale_receipt, journal.entry');
  await world.query("UPDATE ingress.sweep SET swept_to = now() - interval '1 day'");
  paused.clear();
  dispatcher = dispatcherOf(50);
  staleReceipts = staleReceiptsWith(dispatcher);
});
afterEach(async () => {
  dispatcher.onApplicationShutdown();
  gate.resolve();
  await consumer?.close();
  consumer = undefined;
});

const dispatcherOf = (maxWaitingJobs: number): Dispatcher =>
  new Dispatcher(
    world.jobs,
    world.receipts,
    {
      INLINE_LIMIT_BYTES: 1_024,
      MESSAGE_MAX_DEPTH: 100,
      FILTER_REQUEST_BYTES: 8_192,
      DIRECT_PARSES_PER_SECOND: 0,
      MAX_WAITING_JOBS: maxWaitingJobs,
      PROJECT_ADVANCE: 1_000,
      PROJECT_MESSAGES_PER_SECOND: 0,
      PROJECT_MAX_WAITING: 1_000,
    },
    new PublicAddress({ PUBLIC_URL: 'https://gatehouse.example' }),
    { of: () => noLimits },
    world.journal,
    noHolds,
  );
const staleReceiptsWith = (fed: Dispatcher): StaleReceipts => {
  const endpoints = {
    get: (appId: string) => endpoint(appId, { state: paused.has(appId) ? 'paused' : 'active' }),
  };
  return new StaleReceipts(world.stale, world.receipts, world.jobs, fed, endpoints, world.journal, losses, {
    RECEIPT_LEASE_MS: leaseMs,
  });
};
const ago = (ms: number): Date => new Date(Date.now() - ms);
const stored = async (receipts: Receipt[]): Promise<string[]> => {
  await Promise.all(receipts.map((one) => writer.write(one, null)));
  return receipts.map(({ id }) => id);
};
/** Brings the next due times forward. */
const timePasses = (ms: number): Promise<unknown> =>
  world.query(`UPDATE ingress.stale_receipt SET next_at = next_at - make_interval(secs => $1)`, [ms / 1_000]);
const kept = async (): Promise<string[]> =>
  (await world.query<{ receipt_id: string }>('SELECT receipt_id FROM ingress.stale_receipt ORDER BY 1')).map(
    (row) => row.receipt_id,
  );
const consume = (end: boolean, first?: Promise<void>): ParseConsumer => {
  const parse = async (job: InboundParsePayload): Promise<void> => {
    const { receipt_id, organization_id, project_id, app_id } = job;
    await first;
    if (end)
      await world.journal.appendNow({
        receipt_id,
        organization_id,
        project_id,
        app_id,
        stage: 'routed',
        outcome: 'routed',
      });
  };
  consumer = parseConsumer(world.redisUrl, parse);
  return consumer;
};

describe('receipts that have not ended', () => {
  it('are enqueued again, and forgotten when they have ended', async () => {
    const ids = await stored([
      receipt({ receivedAt: ago(leaseMs + 1_000) }),
      receipt({ receivedAt: ago(leaseMs + 999) }),
    ]);
    await stored([receipt()]);
    expect(await staleReceipts.find(100)).toBe(2);
    expect(await kept()).toEqual(ids);
    const { parsed } = consume(true);
    expect(await staleReceipts.enqueue(100)).toBe(2);
    await until('both are parsed', () => parsed.length === 2);
    expect(await staleReceipts.enqueue(100)).toBe(0);
    await until('they are journaled', async () => (await world.journal.endedAmong(ids)).size === 2);
    await timePasses(60_000);
    await staleReceipts.enqueue(100);
    expect(await kept()).toEqual([]);
    expect(parsed.toSorted()).toEqual(ids);
  });

  it('do not include those that ended before the sweep', async () => {
    const [id] = await stored([receipt({ receivedAt: ago(60_000) })]);
    const subject = { receipt_id: id!, organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
    await world.journal.appendNow({ ...subject, stage: 'parsed', outcome: 'ignored' });
    expect(await staleReceipts.find(100)).toBe(1);
    expect(await kept()).toEqual([]);
  });

  it('wait while their App is paused, and are enqueued at once when it resumes', async () => {
    await stored([receipt({ receivedAt: ago(60_000), appId: 'app_2', outcome: 'held' })]);
    paused.add('app_2');
    await staleReceipts.find(100);
    const { parsed } = consume(true);
    await staleReceipts.enqueue(100);
    expect((await world.jobs.waiting(inboundParse.queue)).own).toBe(0);
    paused.clear();
    expect(await staleReceipts.enqueue(100)).toBe(0);
    await world.stale.expediteStale(['app_2']);
    await staleReceipts.enqueue(100);
    await until('it is parsed', () => parsed.length === 1);
  });

  it('are forgotten once they are deleted, those of a paused App too', async () => {
    const [, kept1] = await stored([
      receipt({ receivedAt: ago(60_000), appId: 'app_2', outcome: 'held' }),
      receipt({ receivedAt: ago(59_000), appId: 'app_2', outcome: 'held' }),
    ]);
    paused.add('app_2');
    await staleReceipts.find(100);
    await world.query('DELETE FROM ingress.receipt WHERE id <> $1', [kept1]);
    await staleReceipts.enqueue(100);
    expect(await kept()).toEqual([kept1]);
  });

  it('are all enqueued even if they exceed the room in the queue, with no other traffic', async () => {
    dispatcher = dispatcherOf(1);
    staleReceipts = staleReceiptsWith(dispatcher);
    const ids = await stored(Array.from({ length: 70 }, () => receipt({ receivedAt: ago(60_000) })));
    await staleReceipts.find(100);
    const { parsed } = consume(true);
    const all = new Set(ids);
    await until('all are parsed', async () => {
      await staleReceipts.enqueue(100);
      return new Set(parsed).size === all.size;
    });
    expect(new Set(parsed)).toEqual(all);
  });
});

it('enqueues some stale receipts even with full queues, since they may be full each time that it looks', async () => {
  dispatcher = dispatcherOf(1);
  staleReceipts = staleReceiptsWith(dispatcher);
  const [id] = await stored([receipt({ receivedAt: ago(60_000) })]);
  await staleReceipts.find(100);
  await timePasses(60_000);
  await Promise.all(Array.from({ length: 70 }, () => dispatcher.enqueue(receipt())));
  expect(dispatcher.room).toBeLessThanOrEqual(0);
  expect(await staleReceipts.enqueue(100)).toBe(1);
  const { parsed } = consume(true);
  await until('it is parsed', () => parsed.includes(id!));
});

describe('after the loss of a process, or of what Redis held, receipts', () => {
  afterEach(() => (losses.sinceLossMs = Number.POSITIVE_INFINITY));

  it('are searched for at once, whatever their lease, and the mark stays', async () => {
    const ids = await stored([receipt(), receipt()]);
    const [ended] = await stored([receipt()]);
    const subject = { receipt_id: ended!, organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
    await world.journal.appendNow({ ...subject, stage: 'routed', outcome: 'routed' });
    await until('all are in the past', () => Date.now() > Number.parseInt(ended!.slice(4, 16), 16));
    losses.sinceLossMs = 0;
    await staleReceipts.findAfterLoss();
    expect(await kept()).toEqual(ids.toSorted());
    expect(await staleReceipts.find(100)).toBe(0);
    const { parsed } = consume(true);
    await staleReceipts.enqueue(100);
    await until('both are parsed', () => parsed.length === 2);
  });

  it('continue with the number of their last attempt', async () => {
    const [id] = await stored([receipt({ receivedAt: ago(120_000) })]);
    await staleReceipts.find(100);
    const subject = { receipt_id: id!, organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
    const tried = { ...subject, stage: 'parsed', outcome: 'retrying', attempt: 4 } as const;
    await world.journal.appendNow({ ...tried, at: ago(15_000) });
    const { jobs } = consume(true);
    // It is still being retried.
    await staleReceipts.enqueue(100);
    await timePasses(60_000);
    losses.sinceLossMs = 100;
    await staleReceipts.enqueue(100);
    await until('it is enqueued', () => jobs.length === 1);
    expect(jobs[0]).toMatchObject({ receipt_id: id, custody: { attempts: 4 } });
  });
});

describe('a receipt that is committed after its lease has expired', () => {
  it.each([
    ['alone', null],
    ['with a delivery key', { hash: 'k', bodyHash: 'b' }],
  ])('is not missed by the sweep, %s', async (_name, key) => {
    const late = receipt({ receivedAt: ago(leaseMs - 400) });
    const other = receipt({ receivedAt: ago(leaseMs - 300) });
    await stored([other]);
    const runner = world.db.createQueryRunner();
    await runner.query('BEGIN');
    // Blocks writers, not readers.
    await runner.query('LOCK TABLE ingress.receipt IN SHARE ROW EXCLUSIVE MODE');
    const write = writer.write(late, key);
    await until('its write waits', async () => {
      const [row] = await world.query<{ n: number }>(
        "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'ingress.receipt'::regclass",
      );
      return row?.n === 1;
    });
    await until('both leases are over', () => Date.now() - other.receivedAt.getTime() > leaseMs + 50);
    expect(await staleReceipts.find(100)).toBe(0);
    await runner.query('ROLLBACK');
    await runner.release();
    expect(await write).toEqual({ stored: true });
    await until('the sweep passes both', async () => {
      await staleReceipts.find(100);
      return (await kept()).length === 2;
    });
    expect(await kept()).toEqual([late.id, other.id].toSorted());
  });
});

describe('while the consumers are stopped, the sweep', () => {
  it('enqueues no receipt again whose job still waits, however often it runs', async () => {
    const lost = receipt({ receivedAt: ago(120_000) });
    await stored([lost]);
    await staleReceipts.find(100);
    // The oldest job in the queue was added before the stale receipt was due.
    await world.jobs.enqueue(inboundParse, parseOf(receipt()), Date.now() - 90_000);
    for (const waitMs of [0, 6_000, 11_000, 21_000, 41_000]) {
      await timePasses(waitMs);
      await staleReceipts.enqueue(100);
    }
    expect((await world.jobs.waiting(inboundParse.queue)).own).toBe(1);
    const { parsed } = consume(false);
    await until('the queue is empty', async () => (await world.jobs.waiting(inboundParse.queue)).own === 0);
    await until('it is enqueued after all', async () => {
      await staleReceipts.enqueue(100);
      return parsed.includes(lost.id);
    });
  });

  it('does not consider a receipt lost that was enqueued late: its job is young, but its content is not', async () => {
    const old = receipt({ receivedAt: ago(300_000) });
    await stored([old]);
    dispatcher = dispatcherOf(1);
    staleReceipts = staleReceiptsWith(dispatcher);
    gate = Promise.withResolvers<void>();
    const { parsed } = consume(true, gate.promise);
    // As many as fit into one job: there is no room for another.
    await Promise.all(Array.from({ length: batchLimits.maxItems }, () => dispatcher.enqueue(receipt())));
    dispatcher.offer(old);
    await until('it is enqueued', () => dispatcher.oldestMs === 0);
    await until('it waits', async () => (await world.jobs.waiting(inboundParse.queue)).own === 1);
    expect(await staleReceipts.find(100)).toBe(0);
    gate.resolve();
    await until('it is parsed', () => parsed.includes(old.id));
    await until('it has ended', async () => (await world.journal.endedAmong([old.id])).size === 1);
    expect(await staleReceipts.find(100)).toBe(1);
    expect(await kept()).toEqual([]);
  });

  it('enqueues no receipt that the gateway has passed on to a router with a backlog', async () => {
    const one = receipt({ receivedAt: ago(60_000) });
    await stored([one]);
    await staleReceipts.find(100);
    const subject = { receipt_id: one.id, organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
    await world.journal.appendNow({ ...subject, stage: 'parsed', outcome: 'ok', at: ago(leaseMs + 5_000) });
    await timePasses(60_000);
    await world.jobs.enqueue(messageRoute, routeOf(one), Date.now() - 20_000);
    expect(await staleReceipts.enqueue(100)).toBe(1);
    expect((await world.jobs.waiting(inboundParse.queue)).own).toBe(0);
  });
});

const parseOf = (one: Receipt): Omit<InboundParsePayload, 'request'> => ({
  receipt_id: one.id,
  received_at: one.receivedAt.toISOString(),
  organization_id: 'org_1',
  project_id: 'prj_1',
  app_id: 'app_1',
  verified_scheme: 'none',
});
const routeOf = (one: Receipt): MessageRoutePayload => ({
  ...parseOf(one),
  app_kind: 'adapter',
  verified_scheme: 'none',
});
