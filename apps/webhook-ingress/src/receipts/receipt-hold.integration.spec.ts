import { Metrics } from '#libs/service-kit';
import { silenceLogs, restoreLogs, until } from '#libs/testing';
import pg from 'pg';
import { ingressSettings } from '../testing/ingress-settings.js';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../testing/receipts-world.js';
import { LateWriter } from './late-writer.js';
import { ReceiptHold } from './receipt-hold.js';
import type { DeliveryKey, Receipt } from './receipt.js';
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
beforeEach(() => world.db.query('TRUNCATE ingress.receipt, ingress.delivery_key, ingress.stale_receipt'));
afterEach(() => world.postgres.mend());

const hold = (change: Partial<ReturnType<typeof ingressSettings>> = {}): ReceiptHold =>
  new ReceiptHold(world.writer(), late, ingressSettings('', '', { HOLD_MS: 20_000, ...change }), new Metrics('test'));
const write = (by: ReceiptHold, one: Receipt, key: DeliveryKey | null = null, patienceMs = Infinity) =>
  by.write(one, key, null, patienceMs);
const stored = async (): Promise<string[]> =>
  (await world.db.query<{ id: string }[]>('SELECT id FROM ingress.receipt ORDER BY id')).map(({ id }) => id);

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
    const stale = await world.db.query<{ receipt_id: string }[]>('SELECT receipt_id FROM ingress.stale_receipt');
    expect(stale.map(({ receipt_id: id }) => id).toSorted()).toEqual(await stored());
    // And from then on as ever.
    await write(by, receipt());
    expect(await stored()).toHaveLength(4);
  });

  it('is refused when that takes longer than its sender waits, or when too many wait', async () => {
    const by = hold({ HOLD_MAX: 1 });
    world.postgres.cut();
    const first = write(by, receipt(), null, 1_000);
    first.catch(() => undefined);
    await until('it waits', () => by.waiting === 1);
    await expect(write(by, receipt())).rejects.toThrow(/HOLD_MAX/);
    await expect(first).rejects.toThrow('Postgres did not answer in time');
    await expect(write(hold({ HOLD_MS: 0 }), receipt())).rejects.toThrow();
    expect(by.waiting).toBe(0);
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
      return (await world.db.query<unknown[]>(sql)).length > 0;
    });
    await earlier.query('COMMIT');
    expect(await written).toEqual({ stored: true });
    expect(await stored()).toEqual([one.id]);
    await earlier.end();
  });
});
