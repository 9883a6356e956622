import { until } from '#libs/testing';
import { KilledServices } from './killed-services.js';

/** More by hand. */
const ticks = Number(process.env['SCHEDULE_TICKS'] ?? 600);
const schedules = 20;
const each = Math.ceil(ticks / schedules);
const settings = { SWEEP_EVERY_MS: '1000', SCHEDULE_EVERY_MS: '200', SCHEDULE_CATCH_UP: '10000' };

interface Ended {
  schedule_id: string;
  state: string;
  ticks: number;
}

describe('schedules whose ticks start while processes are killed', () => {
  let services: KilledServices;

  beforeAll(async () => {
    services = await KilledServices.start(['router', 'engine'], settings);
  });
  afterAll(() => services?.stop());

  it('end each of them once, and run each that ran once', async () => {
    const workflow = { name: 'timed', instructions: 'reply: on time' };
    const { system, pool } = services;
    const count = (sql: string): Promise<number> => services.count(sql);
    const { id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
    const ids: string[] = [];
    for (let number = 0; number < schedules; number += 1) {
      // Of every fifth, all are too late.
      const rules = number % 5 === 0 ? { catch_up: 'none' } : { catch_up: 'all', late_after_s: 86_400 };
      const given = { name: `s${number}`, cron: '* * * * *', workflow_id, overlap: 'allow', ...rules };
      ids.push((await system.api<{ id: string }>('POST', '/api/v1/schedules', given)).id);
    }
    // As after an outage of as many minutes; those that are to come are made anew.
    await system.kill('router');
    await pool.query('DELETE FROM router.schedule_tick');
    // The last one of them may not be too late yet, and is not looked at.
    const outage = `date_trunc('minute', now()) - interval '${each + 1} minutes'`;
    await pool.query(`UPDATE router.schedule SET planned_until = ${outage}`);
    const { rows } = await pool.query(
      `SELECT ${outage} AS began, date_trunc('minute', now()) - interval '1 minute' AS until`,
    );
    await system.restart('router');
    const open = `SELECT count(*) FROM router.schedule_tick WHERE at <= '${rows[0].until.toISOString()}' AND ended_at IS NULL`;
    const starting = 'SELECT count(*) FROM router.schedule_tick WHERE at <= now() AND ended_at IS NULL';
    for (let left = 1; left > 0; left = await count(open)) {
      await services.kill();
      if (services.kills === 1)
        await until(
          'ticks were planned',
          async () => (await count('SELECT count(*) FROM router.schedule_tick')) >= ticks,
        );
    }
    // From here on nothing is due.
    await pool.query('UPDATE router.schedule SET active = false');
    await until('no tick is being started', async () => (await count(starting)) === 0);
    await until(
      'no turn is open',
      async () =>
        (await count("SELECT count(*) FROM engine.turn WHERE app_id LIKE 'schedule:%' AND ended_at IS NOT NULL")) >=
        (await count("SELECT count(*) FROM router.message WHERE app_id LIKE 'schedule:%'")),
    );

    const ended = await pool.query<Ended>(
      `SELECT schedule_id, state, count(*)::integer AS ticks FROM router.schedule_tick
        WHERE at > $1 AND at <= $2 GROUP BY 1, 2`,
      [rows[0].began, rows[0].until],
    );
    const expected = ids.map((id, number) => ({
      schedule_id: id,
      state: number % 5 === 0 ? 'missed' : 'ran',
      ticks: each,
    }));
    expect(ended.rows.toSorted((a, b) => (a.schedule_id < b.schedule_id ? -1 : 1))).toEqual(expected);
    // One message, one turn, one run for each that ran, and none besides.
    const [ran, events, messages, turns, runs] = await Promise.all(
      [
        "SELECT count(*) FROM router.schedule_tick WHERE state IN ('ran', 'late')",
        'SELECT count(DISTINCT event_id) FROM router.schedule_tick WHERE event_id IS NOT NULL',
        "SELECT count(*) FROM router.message WHERE app_id LIKE 'schedule:%'",
        "SELECT count(*) FROM engine.turn WHERE app_id LIKE 'schedule:%' AND state = 'succeeded'",
        'SELECT count(DISTINCT t.run_id) FROM router.schedule_tick t JOIN engine.turn e ON e.run_id = t.run_id',
      ].map(count),
    );
    process.stdout.write(
      `${ended.rows.reduce((sum, row) => sum + row.ticks, 0)} ticks, ${ran} ran, ${services.kills} kills\n`,
    );
    expect([events, messages, turns, runs]).toEqual([ran, ran, ran, ran]);
  });
});
