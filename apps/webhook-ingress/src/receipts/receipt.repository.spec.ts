import { receipt, receiptsWorld, type ReceiptsWorld } from '../testing/receipts-under-test.js';

let world: ReceiptsWorld;
beforeAll(async () => {
  world = await receiptsWorld();
  await world.db.query("UPDATE ingress.sweep SET swept_to = now() - interval '1 day'");
});
afterAll(() => world.close());

describe('the mark that moves over receipts', () => {
  it('passes each once, and none unseen, while others are written and two sweeps run', async () => {
    const writer = world.writer(16);
    const written: string[] = [];
    const seen: string[] = [];
    let writing = true;
    // Just old enough when they are written: the mark is always among them.
    const write = async (): Promise<void> => {
      const base = Date.now() - 20_000;
      for (let n = 0; n < 60; n += 1) {
        const batch = Array.from({ length: 10 }, (_, k) =>
          receipt({ receivedAt: new Date(base + n * 10 + Math.floor(k / 4)) }),
        );
        await Promise.all(batch.map((one) => writer.write(one, null)));
        written.push(...batch.map(({ id }) => id));
      }
    };
    const sweep = async (): Promise<void> => {
      let passed = 1;
      while (writing || passed > 0) {
        passed = await world.receipts.advanceSweep(1_000, 1_000, 7, async (ids) => {
          seen.push(...ids);
          return ids;
        });
      }
    };
    await Promise.all([write().finally(() => (writing = false)), sweep(), sweep()]);
    await sweep();
    expect(seen.toSorted()).toEqual(written.toSorted());
    const rows = await world.db.query<{ receipt_id: string }[]>('SELECT receipt_id FROM ingress.straggler');
    expect(rows.map((row) => row.receipt_id).toSorted()).toEqual(written.toSorted());
  });
});
