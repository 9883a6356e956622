import { Database, dataSourceOptions } from '#libs/database';
import { testDatabase, type TestDatabase } from '#libs/testing';
import { LeaseLost } from './leases.js';
import { Work } from './work.js';
import { workColumns } from './work-columns.js';
import type { WorkRow } from './work-row.entity.js';

type Job = WorkRow & { id: string };

describe('work of a held project', () => {
  let database: TestDatabase;
  let db: Database;
  const work = (more: { endless?: true; leaseMs?: number } = {}) =>
    new Work<Job>(db, { table: 'jobs.job', leaseMs: 60_000, owner: () => null, ...more });

  beforeAll(async () => {
    database = await testDatabase();
    const options = dataSourceOptions(
      { name: 'jobs', entities: [], migrations: [] },
      { url: database.url, poolSize: 4, applicationName: 'test' },
    );
    db = await new Database(options).initialize();
    await db.query('CREATE SCHEMA jobs');
    await db.query(`CREATE TABLE jobs.job (id text PRIMARY KEY, project_id text NOT NULL, ${workColumns})`);
  });
  beforeEach(async () => {
    await db.query('TRUNCATE jobs.job, journal.project_hold');
    await db.query(`INSERT INTO jobs.job (id, project_id) VALUES ('moves', 'prj_moves'), ('stays', 'prj_stays')`);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const hold = () =>
    db.query(
      `INSERT INTO journal.project_hold (project_id, organization_id, state, held_by) VALUES ('prj_moves', 'org', 'leaving', 'key:k')`,
    );

  it('is claimed no more, nor tried as a suspect, until the hold ends; that of other projects is', async () => {
    await hold();
    await db.query(`UPDATE jobs.job SET deaths = 1 WHERE id = 'moves'`);
    expect((await work().claimDue(5)).map(({ id }) => id)).toEqual(['stays']);
    expect(await work().claimSuspect()).toBeNull();
    expect(await work().overdue(0, 5)).toEqual([]);
    await db.query('DELETE FROM journal.project_hold');
    expect((await work().claimSuspect())?.id).toBe('moves');
  });

  it('ends by itself where it has begun, but for what would never end: that loses its lease', async () => {
    const [job] = await work().claimDue(1, 'id = $4', ['moves']);
    await hold();
    expect(
      await work().settle([
        {
          key: 'moves',
          claim: job?.claim ?? 0,
          state: 'done',
          due_in_ms: null,
          tries: 0,
          blocked_since: null,
          reason: null,
          spent: null,
        },
      ]),
    ).toEqual(new Set(['moves']));
    await db.query(`DELETE FROM journal.project_hold`);
    await db.query(`UPDATE jobs.job SET state = 'queued', ended_at = NULL`);
    const endless = work({ endless: true, leaseMs: 300 });
    const [held] = await endless.claimDue(1, 'id = $4', ['moves']);
    await hold();
    const lost = endless.hold(
      { key: 'moves', claim: held?.claim ?? 0 },
      (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true })),
    );
    expect(await lost).toBeInstanceOf(LeaseLost);
  });
});
