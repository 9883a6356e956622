import { until } from '#libs/testing';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';

let world: ReceiptsWorld;
beforeAll(async () => {
  world = await receiptsWorld();
  await world.query("UPDATE ingress.sweep SET swept_to = now() - interval '1 day'");
});
afterAll(() => world.close());

describe('the sweep mark', () => {
  it('passes each receipt once, and none unseen, while others are written and two sweeps run', async () => {
    const writer = world.writer(16);
    const written: string[] = [];
    const seen: string[] = [];
    let writing = true;
    // Old enough as soon as they are written: the mark always falls among them.
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
        passed = await world.stale.advanceSweep(1_000, 1_000, 7, async (ids) => {
          seen.push(...ids);
          return ids;
        });
      }
    };
    await Promise.all([write().finally(() => (writing = false)), sweep(), sweep()]);
    await sweep();
    expect(seen.toSorted()).toEqual(written.toSorted());
    const rows = await world.query<{ receipt_id: string }>('SELECT receipt_id FROM ingress.stale_receipt');
    expect(rows.map((row) => row.receipt_id).toSorted()).toEqual(written.toSorted());
  });

  it('reads only the receipts that it passes, and not all that came since autovacuum last ran', async () => {
    const fresh = await receiptsWorld();
    try {
      await fresh.query(
        `INSERT INTO ingress.receipt (id, received_at, organization_id, project_id, app_id, outcome, method, url, headers,
           body, verified_scheme, remote_address)
         SELECT 'evt_' || n, now() - make_interval(secs => 60 - n / 1000.0), 'o', 'p', 'a', 'accepted', 'POST', '/', '{}',
                '', 'none', ''
           FROM generate_series(1, 20000) AS n`,
      );
      await fresh.query("UPDATE ingress.sweep SET swept_to = now() - interval '1 day'");
      const passed = await fresh.stale.advanceSweep(1_000, 1_000, 7, async () => []);
      expect(passed).toBe(7);
      let read = 0;
      await until('Postgres tells what was read', async () => {
        await fresh.db.query('SELECT pg_stat_force_next_flush()');
        const [shown] = await fresh.db.query<{ read: string }[]>(
          `SELECT sum(seq_tup_read + idx_tup_fetch) AS read FROM pg_stat_user_tables
            WHERE schemaname = 'ingress' AND relname LIKE 'receipt%'`,
        );
        read = Number(shown?.read);
        return read >= 7;
      });
      expect(read).toBeLessThan(100);
    } finally {
      await fresh.close();
    }
  });
});
