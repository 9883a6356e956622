import { Database, dataSourceOptions, isGone, type ServiceSchema } from '#libs/database';
import { emptyTestDatabase, type TestDatabase, testPool, until } from '#libs/testing';
import type pg from 'pg';
import { LeaseLost } from './leases.js';
import { type Policy, settlementOf, type Verdict } from './verdict.js';
import { Work, type WorkOptions } from './work.js';
import { addSuspectColumns, addWorkColumns, dropSuspectColumns, dropWorkColumns, workColumns } from './work-columns.js';
import type { WorkRow } from './work-row.entity.js';

type Job = WorkRow & { id: string; note: string | null; kept: string | null };

const schema: ServiceSchema = { name: 'jobs', entities: [], migrations: [] };
const policy: Policy = {
  tries: 3,
  backoff: { baseMs: 60_000, capMs: 60_000 },
  jitter: 0,
  ageMs: null,
  failuresAge: true,
};
const failed: Verdict = { do: 'retry', code: 'timeout' };
const longMs = 60_000;

describe('rows of work', () => {
  let database: TestDatabase;
  let db: Database;
  const pools: pg.Pool[] = [];

  beforeAll(async () => {
    database = await emptyTestDatabase();
    db = await new Database(
      dataSourceOptions(schema, { url: database.url, poolSize: 8, applicationName: 'test' }),
    ).initialize();
    await db.query('CREATE SCHEMA jobs');
    await db.query(`CREATE TABLE jobs.job (id text PRIMARY KEY, note text, kept text, ${workColumns})`);
  });
  beforeEach(() => db.query('TRUNCATE jobs.job'));
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await db?.destroy();
    await database?.drop();
  });

  const work = (options: Partial<WorkOptions> = {}): Work<Job> =>
    new Work<Job>(db, { table: 'jobs.job', project: null, leaseMs: longMs, owner: () => 'me', ...options });
  const insert = (...ids: string[]): Promise<unknown> =>
    db.query('INSERT INTO jobs.job (id) SELECT unnest($1::text[])', [ids]);
  const change = (id: string, set: string): Promise<unknown> =>
    db.query(`UPDATE jobs.job SET ${set} WHERE id = $1`, [id]);
  const row = async (id: string): Promise<Job> =>
    ((await db.query('SELECT * FROM jobs.job WHERE id = $1', [id])) as Job[])[0]!;
  const verdict = (job: Job, of: Verdict) => settlementOf(job.id, job, of, policy);

  it('are claimed once each, however many claim at the same moment, and the number of the claim grows', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `job_${n}`);
    await insert(...ids);
    const batches = await Promise.all(Array.from({ length: 12 }, () => work().claimDue(10)));
    const taken = batches.flat();
    const rest = await work().claimDue(100);
    expect([...taken, ...rest].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(taken[0]).toMatchObject({ state: 'running', claim: 1, tries: 1, owner: 'me' });
    expect(await work().claimDue(100)).toEqual([]);
    const same = await Promise.all(Array.from({ length: 8 }, () => work().claim('job_0')));
    expect(same.filter((one) => one !== null)).toEqual([]);
  });

  it('keep their outcome until Postgres takes it, also when that is after their lease, and it counts unless another claim came first', async () => {
    const leaseMs = 100;
    const jobs = work({ leaseMs });
    await insert('a', 'b');
    const [a, b] = (await jobs.claimDue(10)).toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const isOver = (id: string): Promise<boolean> =>
      db
        .query(`SELECT FROM jobs.job WHERE id = $1 AND lease_until > now() - interval '1 second'`, [id])
        .then((left) => left.length === 0);
    let refusals = 0;
    const outcomes = [a, b].map((job) =>
      jobs.persist(async () => {
        // A full disk: it reads, and takes nothing.
        if (!(await isOver(job!.id))) {
          refusals += 1;
          throw Object.assign(new Error('could not extend file'), { code: '53100' });
        }
        if (job!.id === 'b') await work().claim('b');
        return jobs.settle([verdict(job!, { do: 'done' })]);
      }),
    );
    expect((await Promise.all(outcomes)).map((keys) => [...keys])).toEqual([['a'], []]);
    expect(refusals).toBeGreaterThan(2);
  });

  it('may be stored and claimed by one statement, and then nobody else claims them', async () => {
    const store = async (state: string): Promise<unknown> => {
      const { columns, values, set } = work().storeSql('j', 'x.state', '$3', '$4::float8');
      const from = '(SELECT $1::text AS id, $2::text AS state) x';
      const sql = `INSERT INTO jobs.job AS j (id, ${columns}) SELECT x.id, ${values} FROM ${from} ON CONFLICT (id) DO UPDATE SET ${set}`;
      return db.query(sql, ['a', state, ...work().lease]);
    };
    await store('waiting');
    expect(await row('a')).toMatchObject({ state: 'waiting', claim: 0, tries: 0, owner: null, lease_until: null });
    await store('running');
    expect(await row('a')).toMatchObject({ state: 'running', claim: 1, tries: 1, owner: 'me' });
    expect(await work().claim('a')).toBeNull();
    await change('a', "lease_until = now() - interval '1 ms'");
    expect(await work().claim('a')).toMatchObject({ claim: 2 });
  });

  it('are due in order, under a further condition, and not before their time', async () => {
    await insert('a', 'b', 'c', 'd');
    await change('a', "due_at = now() + interval '1 hour'");
    await change('b', "due_at = now() - interval '1 s'");
    await change('c', "due_at = now() - interval '2 s', note = 'other'");
    await change('d', "state = 'dead'");
    expect((await work().claimDue(1, 'note IS NULL AND id <> $4', ['x'])).map(({ id }) => id)).toEqual(['b']);
    expect((await work().claimDue(9)).map(({ id }) => id)).toEqual(['c']);
  });

  it('whose lease is over are claimed again, and the earlier claim can settle nothing more', async () => {
    await insert('a');
    const first = (await work().claim('a'))!;
    await change('a', "lease_until = now() - interval '1 ms'");
    const second = (await work().claim('a'))!;
    expect(second).toMatchObject({ claim: 2, tries: 2 });
    expect(await work().settle([verdict(first, { do: 'done' })])).toEqual(new Set());
    expect(await row('a')).toMatchObject({ state: 'running', claim: 2 });
    expect(await work().settle([verdict(second, { do: 'done' })])).toEqual(new Set(['a']));
    expect(await row('a')).toMatchObject({ state: 'done', owner: null, lease_until: null, ended_at: expect.any(Date) });
  });

  it('are settled once: a repetition changes nothing', async () => {
    await insert('a');
    const job = (await work().claim('a'))!;
    const dead = verdict(job, { do: 'dead', code: 'gone' });
    expect(await work().settle([dead])).toEqual(new Set(['a']));
    const before = await row('a');
    expect(await work().settle([dead])).toEqual(new Set());
    expect(await work().settle([verdict(job, { do: 'done' })])).toEqual(new Set());
    expect(await row('a')).toEqual(before);
  });

  it('are settled in one statement with the columns of the caller', async () => {
    await insert('a', 'b');
    await db.query("UPDATE jobs.job SET kept = 'before'");
    const jobs = await work().claimDue(2);
    const settled = jobs.map((job, at) => ({
      ...verdict(job, failed),
      note: `n${at}\0`,
      kept: at === 0 ? null : 'after',
    }));
    const one = work();
    await db.query(
      `WITH settled AS (${one.settleSql('$1', { note: 'text', kept: 'text' }, ['kept'])}) SELECT FROM settled`,
      [one.settled(settled)],
    );
    const [a, b] = await Promise.all(jobs.map(({ id }) => row(id)));
    expect(a).toMatchObject({
      state: 'queued',
      tries: 1,
      reason: 'timeout',
      note: 'n0\ufffd',
      kept: 'before',
      ended_at: null,
    });
    expect(b).toMatchObject({ note: 'n1\ufffd', kept: 'after' });
    expect(a!.due_at.getTime()).toBeGreaterThan(Date.now() + 30_000);
    expect(await work().claimDue(2)).toEqual([]);
  });

  it('keep their lease while the work runs, however long it takes', async () => {
    await insert('a');
    const short = work({ leaseMs: 300 });
    const job = (await short.claim('a'))!;
    const lease = async (): Promise<number> => (await row('a')).lease_until!.getTime();
    const first = job.lease_until!.getTime();
    await short.run({ key: 'a', claim: job.claim }, async (lost) => {
      await until('it was renewed twice', async () => (await lease()) > first + 150);
      expect(lost.aborted).toBe(false);
    });
    await change('a', 'lease_until = now()');
    await insert('b');
    const other = (await short.claim('b'))!;
    await short.run({ key: 'b', claim: other.claim }, async () => {
      const before = (await row('b')).lease_until!.getTime();
      await until('the other is renewed', async () => (await row('b')).lease_until!.getTime() > before);
    });
    // It was not renewed after its work had ended.
    expect((await short.claim('a'))?.claim).toBe(2);
  });

  it('abort work whose lease another claim has taken', async () => {
    await insert('a');
    const short = work({ leaseMs: 200 });
    const job = (await short.claim('a'))!;
    const why = await short.run(
      { key: 'a', claim: job.claim },
      (lost) =>
        new Promise((resolve) => {
          lost.addEventListener('abort', () => resolve(lost.reason));
          void change('a', 'claim = claim + 1');
        }),
    );
    expect(why).toBeInstanceOf(LeaseLost);
  });

  it('are not taken from work whose row is being settled, and a renewal does not wait for it', async () => {
    await insert('a', 'b');
    const short = work({ leaseMs: 200 });
    const [a, b] = [(await short.claim('a'))!, (await short.claim('b'))!];
    const pool = testPool(database.url, { max: 1 });
    pools.push(pool);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query("SELECT FROM jobs.job WHERE id = 'a' FOR UPDATE");
    const first = b.lease_until!.getTime();
    await short.run({ key: 'a', claim: a.claim }, (lost) =>
      short.run({ key: 'b', claim: b.claim }, async () => {
        await until('b is renewed', async () => (await row('b')).lease_until!.getTime() > first);
        expect(lost.aborted).toBe(false);
      }),
    );
    await other.query('ROLLBACK');
    other.release();
  });

  it('that nobody took in time are overdue, with a grace', async () => {
    await insert('queued', 'running', 'new', 'leased', 'ended');
    await db.query("UPDATE jobs.job SET due_at = now() - interval '10 s'");
    for (const id of ['running', 'leased'])
      await change(id, "state = 'running', lease_until = now() - interval '10 s'");
    await change('leased', "lease_until = now() + interval '10 s'");
    await change('new', 'due_at = now()');
    await change('ended', "state = 'done'");
    const ids = (rows: Job[]): string[] => rows.map(({ id }) => id).toSorted();
    expect(ids(await work().overdue(5_000, 10))).toEqual(['queued', 'running']);
    expect(ids(await work().overdue(0, 10))).toEqual(['new', 'queued', 'running']);
    expect(await work().overdue(0, 1)).toHaveLength(1);
  });

  it('of a process that has died are free at once, and only those', async () => {
    await insert('dead', 'slow', 'alive');
    const pool = testPool(database.url, { max: 1, application_name: 'live_other' });
    pools.push(pool);
    await pool.query('SELECT 1');
    for (const [id, owner] of [
      ['dead', 'live_gone'],
      ['slow', 'unproven'],
      ['alive', 'live_other'],
    ] as const) {
      expect(await work({ owner: () => owner }).claim(id)).toMatchObject({ owner });
    }
    expect(((await db.query(`SELECT ${isGone("'live_other'")} AS gone`)) as { gone: boolean }[])[0]?.gone).toBe(false);
    await work().freeGone(null);
    expect((await work().overdue(3_600_000, 10)).map(({ id }) => id)).toEqual(['dead']);
    expect(await work().claim('dead')).toMatchObject({ claim: 2, owner: 'me' });
    expect(await work().claim('slow')).toBeNull();
  });

  it('are freed by the process that claimed them and never heard of it, and not while it works on them', async () => {
    await insert('unheard', 'worked_on', 'new', 'other');
    const mine = work({ owners: () => ['me', 'live_me'] });
    const claims = await mine.claimDue(3, 'id <> $4', ['other']);
    expect(claims).toHaveLength(3);
    await work({ owner: () => 'another' }).claim('other');
    // As a claim of five seconds ago.
    await db.query("UPDATE jobs.job SET lease_until = lease_until - interval '5 s' WHERE id <> 'new'");
    const worked = Promise.withResolvers<void>();
    const { claim } = claims.find(({ id }) => id === 'worked_on')!;
    const running = mine.run({ key: 'worked_on', claim }, () => worked.promise);
    await mine.freeGone(2);
    expect(await row('unheard')).toMatchObject({ state: 'queued', owner: null, tries: 0, deaths: 0 });
    for (const id of ['worked_on', 'new', 'other']) expect(await row(id)).toMatchObject({ state: 'running', claim: 1 });
    expect((await mine.overdue(3_600_000, 10)).map(({ id }) => id)).toEqual(['unheard']);
    worked.resolve();
    await running;
  });

  it('that wait are expedited by what they wait for', async () => {
    await insert('a', 'b', 'c');
    await db.query("UPDATE jobs.job SET due_at = now() + interval '1 hour', reason = 'circuit_open'");
    await change('b', "reason = 'timeout'");
    await change('c', "state = 'running', lease_until = now() + interval '1 hour'");
    const due = await work().expedite('reason = ANY($1)', [['circuit_open']]);
    expect(due.map(({ id }) => id)).toEqual(['a']);
    expect((await work().claimDue(9)).map(({ id }) => id)).toEqual(['a']);
  });

  it('may be in a table with its own key and its own word for running, and one that had the columns under other names', async () => {
    const renamed = { state: 'state', tries: 'attempts', due_at: 'next_try_at', reason: 'error' } as const;
    const before = await tableOf(
      'CREATE TABLE jobs.task (name text PRIMARY KEY, state text NOT NULL, attempts integer NOT NULL, next_try_at timestamptz NOT NULL, error text)',
    );
    for (const statement of addWorkColumns('jobs.task', renamed)) await db.query(statement);
    await db.query(addSuspectColumns('jobs.task'));
    await db.query("INSERT INTO jobs.task (name) VALUES ('t')");
    const tasks = work({ table: 'jobs.task', key: 'name', running: 'sending' });
    const task = (await tasks.claim('t'))!;
    expect(task).toMatchObject({ state: 'sending', claim: 1, tries: 1 });
    expect(await tasks.settle([settlementOf('t', task, failed, policy)])).toEqual(new Set(['t']));
    await db.query(dropSuspectColumns('jobs.task'));
    for (const statement of dropWorkColumns('jobs.task', renamed)) await db.query(statement);
    expect(await columnsOf()).toEqual(before);
  });

  const columnsOf = (): Promise<unknown> =>
    db.query("SELECT column_name FROM information_schema.columns WHERE table_name = 'task' ORDER BY 1");
  const tableOf = async (statement: string): Promise<unknown> => {
    await db.query(statement);
    return columnsOf();
  };
});
