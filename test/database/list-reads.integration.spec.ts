import {
  type Database,
  Database as Primary,
  dataSourceOptions,
  type ServiceSchema,
  type Transaction,
} from '#libs/database';
import { Metrics, Problem } from '#libs/service-kit';
import { type BreakableLink, openLink, restoreLogs, silenceLogs, until } from '#libs/testing';
import { ListReads, listReadsProvider, type ReplicaSettings } from '#libs/list-reads';
import { type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.js';

const schema: ServiceSchema = { name: 'router', entities: [], migrations: [] };
let postgres: ReplicatedPostgres;
let primary: Database;
const opened: ListReads[] = [];

beforeAll(async () => {
  silenceLogs();
  postgres = await startReplicatedPostgres();
  await postgres.primary.query('CREATE TABLE router.made (id integer)');
  await postgres.primary.query('GRANT SELECT ON router.made TO PUBLIC');
  const url = postgres.urlOf('primary', 'router');
  primary = new Primary(dataSourceOptions(schema, { url, poolSize: 10, applicationName: 'lists' }));
  await primary.initialize();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.onApplicationShutdown()));
});
afterAll(async () => {
  await primary?.destroy();
  await postgres?.stop();
  restoreLogs();
});

const mayLag = { mayLagMs: 60_000 };
const made = async (db: Transaction): Promise<{ rows: number; replica: boolean }> => {
  const [row] = await db.query<{ rows: number; replica: boolean }[]>(
    'SELECT count(*)::integer AS rows, pg_is_in_recovery() AS replica FROM router.made',
  );
  return row!;
};

/** Reads of a process whose replica is at this address. */
function open(change: Partial<ReplicaSettings> = {}): { reads: ListReads; metrics: Metrics } {
  const metrics = new Metrics('router');
  const reads = listReadsProvider(schema, 'router', {
    DATABASE_URL: postgres.urlOf('primary', 'router'),
    DATABASE_REPLICA_URL: postgres.urlOf('replica', 'router'),
    REPLICA_POOL: 5,
    REPLICA_MAX_LAG_MS: 3_000,
    REPLICA_ANSWER_MS: 5_000,
    REPLICA_FALLBACK_CONNECTIONS: 2,
    REPLICA_FALLBACK_WAIT_MS: 20_000,
    ...change,
  }).useFactory(primary, metrics) as ListReads;
  reads.onModuleInit();
  opened.push(reads);
  return { reads, metrics };
}

const read = (reads: ListReads) => reads.read('events', mayLag, made);
const fromReplica = (reads: ListReads) =>
  until('it is read from the replica', async () => (await read(reads)).behindMs !== null);

async function counted(metrics: Metrics, labels: Record<string, string>): Promise<number> {
  const { values = [] } = (await metrics.registry.getSingleMetric('gatehouse_list_reads_total')?.get()) ?? {};
  return (
    values.find((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value))?.value ?? 0
  );
}

describe('a list that may lag', () => {
  it('comes from the replica, and says how old it may be, which does not grow while nothing is written', async () => {
    const { reads, metrics } = open();
    await fromReplica(reads);
    const startMs = Date.now();
    // Longer than it may lag: by the time of the last transaction the replica would be too far behind.
    while (Date.now() - startMs < 4_000) {
      const { value, behindMs } = await read(reads);
      expect(value.replica).toBe(true);
      expect(behindMs).toBeLessThan(3_000);
      expect(behindMs).toBeGreaterThanOrEqual(0);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await counted(metrics, { list: 'events', from: 'replica', why: 'fit' })).toBeGreaterThan(10);
    const lag = await metrics.registry.getSingleMetric('gatehouse_replica_lag_seconds')?.get();
    expect(lag?.values[0]?.value).toBeLessThan(3);
  });

  it('has everything that was committed longer ago than it says', async () => {
    const { reads } = open();
    await fromReplica(reads);
    await postgres.primary.query('TRUNCATE router.made');
    for (let rows = 1; rows <= 20; rows += 1) {
      await postgres.primary.query('INSERT INTO router.made VALUES ($1)', [rows]);
      const committedMs = performance.now();
      await until('it has it', async () => {
        const askedMs = performance.now();
        const { value, behindMs } = await read(reads);
        if (behindMs === null || askedMs - behindMs > committedMs) expect(value.rows).toBe(rows);
        return value.rows === rows;
      });
    }
  });

  it('comes from the primary while the replica is further behind, and from the replica when it has caught up', async () => {
    const { reads, metrics } = open();
    await fromReplica(reads);
    await postgres.pause();
    await postgres.primary.query('INSERT INTO router.made VALUES (1)');
    const { rows } = (await postgres.primary.query('SELECT count(*)::integer AS rows FROM router.made')) as {
      rows: { rows: number }[];
    };
    await until('the replica is left', async () => (await read(reads)).behindMs === null);
    expect(await read(reads)).toEqual({ value: { rows: rows[0]?.rows, replica: false }, behindMs: null });
    expect(await counted(metrics, { from: 'primary', why: 'behind' })).toBeGreaterThan(0);
    await postgres.resume();
    await fromReplica(reads);
  });

  it('comes from the primary for who may not see what is old', async () => {
    const { reads } = open();
    await fromReplica(reads);
    const { value, behindMs } = await reads.read('events', {}, made);
    expect([value.replica, behindMs]).toEqual([false, null]);
  });

  it('is asked again of the primary when the replay of the replica cancels it', async () => {
    const { reads, metrics } = open();
    await fromReplica(reads);
    const asked: boolean[] = [];
    const list = reads.read('events', mayLag, async (db) => {
      asked.push((await made(db)).replica);
      await db.query(asked.at(-1) ? 'SELECT id, pg_sleep(4) FROM router.made' : 'SELECT id FROM router.made');
      return 'read';
    });
    await postgres.primary.query('INSERT INTO router.made VALUES (1)');
    await until('it is being read', () => asked.length === 1);
    await postgres.primary.query('TRUNCATE router.made');
    expect(await list).toEqual({ value: 'read', behindMs: null });
    expect(asked).toEqual([true, false]);
    expect(await counted(metrics, { from: 'primary', why: 'failed' })).toBe(1);
  });

  it('never comes from a server that is no replica', async () => {
    const { reads, metrics } = open({ DATABASE_REPLICA_URL: postgres.urlOf('primary', 'router') });
    await until('it is known', async () => {
      await read(reads);
      return (await counted(metrics, { from: 'primary', why: 'no_replica' })) > 0;
    });
    expect((await read(reads)).behindMs).toBeNull();
  });

  it('reads at once what is asked at once, on its one connection', async () => {
    const { reads } = open();
    await fromReplica(reads);
    const { value } = await reads.read('events', mayLag, (db) => Promise.all([made(db), made(db), made(db)]));
    expect(value.map(({ replica }) => replica)).toEqual([true, true, true]);
  });
});

describe('when the replica does not answer', () => {
  let link: BreakableLink;
  afterEach(() => link?.close());

  it('lists come from the primary, the first within a second or two, and the others at once', async () => {
    link = await openLink(postgres.urlOf('replica', 'router'));
    const { reads } = open({ DATABASE_REPLICA_URL: link.url });
    await fromReplica(reads);
    link.hold();
    const startMs = performance.now();
    expect((await read(reads)).behindMs).toBeNull();
    expect(performance.now() - startMs).toBeLessThan(3_000);
    const laterMs = performance.now();
    expect((await read(reads)).behindMs).toBeNull();
    expect(performance.now() - laterMs).toBeLessThan(500);
    link.cut();
    link.mend();
    await fromReplica(reads);
  });

  it('after it was killed, so many as may are read from the primary at a time, and none fails', async () => {
    const { reads } = open();
    await fromReplica(reads);
    await postgres.kill();
    let running = 0;
    let most = 0;
    const slow = async (db: Transaction): Promise<number> => {
      // One that the replica refuses comes here too, and fails before it is counted.
      const { replica } = await made(db);
      most = Math.max(most, (running += 1));
      await db.query('SELECT pg_sleep(0.02)');
      running -= 1;
      return replica ? 0 : 1;
    };
    const lists = await Promise.all(Array.from({ length: 40 }, () => reads.read('events', mayLag, slow)));
    expect(lists).toHaveLength(40);
    expect(new Set(lists.map(({ value, behindMs }) => `${value} ${behindMs}`))).toEqual(new Set(['1 null']));
    expect(most).toBe(2);
    await postgres.restart();
    await fromReplica(reads);
  });

  it('further ones are asked to come again, with the reason, and who has just made a change is not', async () => {
    const nowhere = { DATABASE_REPLICA_URL: 'postgres://nobody@127.0.0.1:9/none' };
    const { reads } = open({ ...nowhere, REPLICA_FALLBACK_CONNECTIONS: 1, REPLICA_FALLBACK_WAIT_MS: 50 });
    const done = Promise.withResolvers<void>();
    const first = reads.read('events', mayLag, () => done.promise);
    const detail: unknown = expect.stringMatching(/^The replica .* (does not answer|has not answered)/);
    await expect(read(reads)).rejects.toMatchObject({ status: 503, code: 'lists_busy', detail });
    expect((await reads.read('events', {}, made)).behindMs).toBeNull();
    done.resolve();
    await first;
    expect((await read(reads)).behindMs).toBeNull();
  });
});

describe('one list', () => {
  /** To wait for it would not show that the replica was left for a second. */
  const atOnce = async (reads: ListReads): Promise<void> => expect((await read(reads)).behindMs).not.toBeNull();

  it('that the replica does not answer in time is cancelled there and comes from the primary, others go on', async () => {
    const { reads, metrics } = open({ REPLICA_ANSWER_MS: 300 });
    await fromReplica(reads);
    const slow = reads.read('events', mayLag, async (db) => {
      const { replica } = await made(db);
      if (replica) await db.query('SELECT pg_sleep(60)');
      return replica;
    });
    expect(await slow).toEqual({ value: false, behindMs: null });
    await atOnce(reads);
    expect(await counted(metrics, { from: 'primary', why: 'slow' })).toBe(1);
    const { value } = await reads.read('events', mayLag, (db) =>
      db.query("SELECT FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(60)'"),
    );
    expect(value).toEqual([]);
  });

  it('that takes too long between two statements is given up there, others go on', async () => {
    const { reads, metrics } = open({ REPLICA_ANSWER_MS: 100 });
    await fromReplica(reads);
    const slow = reads.read('events', mayLag, async (db) => {
      for (;;) if (!(await made(db)).replica) return 'read';
    });
    expect(await slow).toEqual({ value: 'read', behindMs: null });
    await atOnce(reads);
    expect(await counted(metrics, { from: 'primary', why: 'slow' })).toBe(1);
  });

  it('that gets no connection to the replica comes from the primary, and those that have one go on', async () => {
    const { reads, metrics } = open({ REPLICA_POOL: 1 });
    await fromReplica(reads);
    const done = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    const first = reads.read('events', mayLag, async (db) => {
      const { replica } = await made(db);
      isRead.resolve();
      await done.promise;
      return replica;
    });
    await isRead.promise;
    expect((await read(reads)).behindMs).toBeNull();
    expect(await counted(metrics, { from: 'primary', why: 'busy' })).toBe(1);
    done.resolve();
    expect((await first).value).toBe(true);
    await atOnce(reads);
  });

  it('that is asked for in a wrong way is asked for once, and asks nothing more once it has failed', async () => {
    const { reads, metrics } = open({ REPLICA_POOL: 1 });
    await fromReplica(reads);
    let asked = 0;
    let later: Promise<unknown> = Promise.resolve();
    const wrong = reads.read('events', mayLag, (db) => {
      asked += 1;
      later = db.query('SELECT pg_sleep(0.2)').then(() => made(db));
      later.catch(() => undefined);
      throw new Problem(422, 'wrong', 'It is wrong.');
    });
    await expect(wrong).rejects.toMatchObject({ status: 422, code: 'wrong' });
    await expect(later).rejects.toThrow(/has its answer, or has failed/);
    expect(asked).toBe(1);
    expect(await counted(metrics, { from: 'primary', why: 'failed' })).toBe(0);
    await atOnce(reads);
  });
});
