import { Metrics } from '#libs/service-kit';
import { silenceLogs, restoreLogs, until } from '#libs/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '#libs/journal';
import pg from 'pg';
import { ingressSettings } from '../../testing/ingress-world.js';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import { LateWriter } from './receipt-writer.js';
import { Spool } from './spool.js';
import { ReceiptHold } from './receipt-hold.js';
import type { DeliveryKey, Receipt } from './receipt.repository.js';
import { writerName } from './write-receipts.js';

let world: ReceiptsWorld;
let late: LateWriter;

beforeAll(async () => {
  silenceLogs();
  world = await receiptsWorld();
  late = new LateWriter({ DATABASE_URL: world.postgres.url, RECEIPT_BATCH: 10 });
});
afterAll(async () => {
  await late.onApplicationShutdown();
  await world.close();
  restoreLogs();
});
beforeEach(() => world.query('TRUNCATE ingress.receipt, ingress.delivery_key, ingress.stale_receipt'));
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spool-'));
  offered.length = 0;
  entries.length = 0;
});
afterEach(async () => {
  world.postgres.mend();
  await Promise.all(spools.splice(0).map((spool) => spool.onApplicationShutdown()));
  await rm(directory, { recursive: true, force: true });
});

let directory: string;
/** What was handed to the gateway. */
const offered: string[] = [];
const entries: JournalEntry[] = [];
const spools: Spool[] = [];

type Change = Partial<ReturnType<typeof ingressSettings>>;
const spoolOf = (change: Change): Spool => {
  const settings = ingressSettings(change);
  const dispatcher = { offer: (one: Receipt) => void offered.push(one.id) };
  const journal = { append: (entry: JournalEntry) => void entries.push(entry) };
  const spool = new Spool(late, dispatcher, journal, settings, new Metrics('test'));
  spools.push(spool);
  return spool;
};
const hold = (change: Change = {}, spool = spoolOf(change)): ReceiptHold =>
  new ReceiptHold(world.writer(), late, spool, ingressSettings({ HOLD_MS: 20_000, ...change }), new Metrics('test'));
const write = (by: ReceiptHold, one: Receipt, key: DeliveryKey | null = null, patienceMs = Infinity) =>
  by.write(one, key, null, patienceMs);
const stored = async (): Promise<string[]> =>
  (await world.query<{ id: string }>('SELECT id FROM ingress.receipt ORDER BY id')).map(({ id }) => id);

describe('a webhook while Postgres does not answer', () => {
  it('waits, and is stored once when Postgres is back, for the sweep to find', async () => {
    const by = hold();
    world.postgres.cut();
    const all = [receipt(), receipt(), receipt()];
    const writes = all.map((one) => write(by, one));
    await until('all wait', () => by.waiting === 3);
    expect(await stored()).toEqual([]);
    world.postgres.mend();
    expect(await Promise.all(writes)).toEqual(all.map(() => ({ stored: true })));
    expect(await stored()).toEqual(all.map(({ id }) => id).toSorted());
    const stale = await world.query<{ receipt_id: string }>('SELECT receipt_id FROM ingress.stale_receipt');
    expect(stale.map(({ receipt_id: id }) => id).toSorted()).toEqual(await stored());
    // And from then on as ever.
    await write(by, receipt());
    expect(await stored()).toHaveLength(4);
  });

  it('is refused when that takes longer than its sender waits, or when too many wait', async () => {
    const by = hold({ HOLD_MAX: 1 });
    world.postgres.cut();
    const first = write(by, receipt());
    await until('it waits', () => by.waiting === 1);
    await expect(write(by, receipt())).rejects.toThrow(/HOLD_MAX/);
    const hasty = hold({ HOLD_MAX: 1 });
    await expect(write(hasty, receipt(), null, 100)).rejects.toThrow('Postgres did not answer in time');
    expect(hasty.waiting).toBe(0);
    await expect(write(hold({ HOLD_MS: 0 }), receipt())).rejects.toThrow();
    world.postgres.mend();
    expect(await first).toEqual({ stored: true });
  });

  it('is a duplicate of what took its key meanwhile', async () => {
    const by = hold();
    const key = { hash: 'k'.repeat(32), bodyHash: 'b'.repeat(32) };
    world.postgres.cut();
    const writes = [receipt(), receipt()].map((one) => write(by, one, key));
    await until('both wait', () => by.waiting === 2);
    world.postgres.mend();
    const [first, second] = await Promise.all(writes);
    const ids = await stored();
    expect(ids).toHaveLength(1);
    expect([first, second]).toContainEqual({ stored: true });
    expect([first, second]).toContainEqual({ stored: false, firstId: ids[0], sameBody: true });
  });

  it('is not stored twice where its first write was committed, with nobody to tell', async () => {
    const one = receipt();
    await world.writer().write(one, null);
    expect(await late.write({ receipt: one, keys: [] })).toEqual({ stored: true });
    expect(await stored()).toEqual([one.id]);
  });

  it('is stored only once an earlier transaction has ended, which may still commit it', async () => {
    const one = receipt();
    const earlier = new pg.Client({
      connectionString: world.postgres.url,
      application_name: writerName,
    });
    await earlier.connect();
    await earlier.query('BEGIN');
    await earlier.query(
      `INSERT INTO ingress.receipt SELECT $1, $2, 'org_1', 'prj_1', 'app_1', 'accepted', NULL, 'POST', '/', '{}', '', NULL, ''`,
      [one.id, one.receivedAt],
    );
    const written = late.write({ receipt: one, keys: [] });
    await until('it has looked', async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE application_name = 'webhook-ingress-late-receipts' AND query = 'ROLLBACK'`;
      return (await world.query(sql)).length > 0;
    });
    await earlier.query('COMMIT');
    expect(await written).toEqual({ stored: true });
    expect(await stored()).toEqual([one.id]);
    await earlier.end();
  });
});

describe('a webhook while Postgres does not answer for longer than it can wait', () => {
  const started = async (): Promise<Spool> => {
    const spool = spoolOf({ SPOOL_DIR: directory });
    await spool.onApplicationBootstrap();
    return spool;
  };

  it('is acknowledged from the disk, and moved and handed over when Postgres is back', async () => {
    const spool = await started();
    const by = hold({ SPOOL_DIR: directory, HOLD_MS: 200 }, spool);
    world.postgres.cut();
    const all = [receipt(), receipt({ outcome: 'held' })];
    for (const one of all) expect(await write(by, one)).toEqual({ stored: true, spooled: true });
    expect(spool.bytes).toBeGreaterThan(0);
    expect(offered).toEqual([]);
    world.postgres.mend();
    await until('they are moved', () => spool.bytes === 0);
    expect(await stored()).toEqual(all.map(({ id }) => id).toSorted());
    expect(offered).toEqual([all[0]?.id]);
    expect(entries).toMatchObject(
      all.map(({ id }) => ({
        receipt_id: id,
        stage: 'received',
        outcome: 'held',
        reason: 'spooled',
        at: expect.any(Date),
      })),
    );
    await until('the next one is stored at once', async () => !('spooled' in (await write(by, receipt()))));
  });

  it('waits no longer than the outage has lasted for HOLD_MS: the next ones are spooled at once', async () => {
    const by = hold({ SPOOL_DIR: directory, HOLD_MS: 500 }, await started());
    world.postgres.cut();
    await write(by, receipt());
    const writes = Array.from({ length: 20 }, () => write(by, receipt()));
    expect(by.waiting).toBe(0);
    await Promise.all(writes);
    expect(by.waiting).toBe(0);
  });

  it('is found by the process that starts next, and is stored once however often it is moved', async () => {
    const [one, two] = [receipt(), receipt()];
    const first = await started();
    world.postgres.cut();
    for (const each of [one, two]) await first.append({ receipt: each, keys: [] });
    await first.onApplicationShutdown();
    world.postgres.mend();
    // Moved in part before that process died.
    await late.write({ receipt: one, keys: [] });
    const second = await started();
    await until('they are moved', () => second.bytes === 0);
    expect(await stored()).toEqual([one.id, two.id].toSorted());
  });

  it('is kept without its key where that was used for another body, since it was acknowledged', async () => {
    const hash = 'k'.repeat(32);
    const [one, two] = [receipt(), receipt()];
    await late.write({ receipt: one, keys: [{ hash, bodyHash: 'a'.repeat(32) }] });
    const spool = await started();
    await spool.append({ receipt: two, keys: [{ hash, bodyHash: 'b'.repeat(32) }] });
    await spool.append({ receipt: receipt(), keys: [{ hash, bodyHash: 'a'.repeat(32) }] });
    await until('they are moved', () => spool.bytes === 0);
    expect(await stored()).toEqual([one.id, two.id].toSorted());
    expect((await world.receipts.find(two.id))?.reason).toBe('delivery_id_reused');
  });

  it('is refused when the spool is full', async () => {
    const spool = spoolOf({ SPOOL_DIR: directory, SPOOL_MAX_BYTES: 2_000 });
    await spool.onApplicationBootstrap();
    const by = hold({ SPOOL_DIR: directory, HOLD_MS: 0 }, spool);
    world.postgres.cut();
    await write(by, receipt());
    await expect(write(by, receipt({ body: Buffer.alloc(2_000) }))).rejects.toThrow(/SPOOL_MAX_BYTES/);
  });
});
