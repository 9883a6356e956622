import { Database, dataSourceOptions, Liveness, type ServiceSchema } from '#libs/database';
import { emptyTestDatabase, type TestDatabase, until } from '#libs/testing';
import type { PermanentFailure } from '#libs/queue';
import { Suspects } from './suspects.js';
import { settlementOf, type Verdict } from './verdict.js';
import { Work } from './work.js';
import { workColumns } from './work-columns.js';
import type { WorkRow } from './work-row.entity.js';

type Job = WorkRow & { id: string };

const schema: ServiceSchema = { name: 'jobs', entities: [], migrations: [] };
const policy = { tries: 3, backoff: { baseMs: 1, capMs: 1 }, jitter: 0, ageMs: null, failuresAge: true };
const trialMs = 500;

describe('what was in flight when a process died', () => {
  let database: TestDatabase;
  let db: Database;
  let work: Work<Job>;
  let liveness: Liveness;
  let suspects: Suspects<Job>;
  /** What a trial does until its row is settled. */
  let attempt: (job: Job) => Promise<Verdict>;
  const tried: string[] = [];
  const dead = new Map<string, PermanentFailure>();
  const counted = { tried: 0, deadAtS: 0 };

  beforeAll(async () => {
    database = await emptyTestDatabase();
    const options = { url: database.url, poolSize: 8, applicationName: 'test' };
    db = await new Database(dataSourceOptions(schema, options)).initialize();
    await db.query('CREATE SCHEMA jobs');
    await db.query(`CREATE TABLE jobs.job (id text PRIMARY KEY, ${workColumns})`);
    liveness = new Liveness({ url: database.url, applicationName: 'test' });
    await liveness.onModuleInit();
  });
  beforeEach(async () => {
    await db.query('TRUNCATE jobs.job');
    tried.length = 0;
    dead.clear();
    attempt = async () => ({ do: 'done' });
    work = new Work<Job>(db, { table: 'jobs.job', project: null, leaseMs: 60_000, owner: () => liveness.owner });
    suspects = new Suspects<Job>({
      name: 'job',
      work,
      losses: liveness,
      settings: { POISON_KILLS: 2, POISON_TRIAL_MS: trialMs },
      metrics: {
        suspects: { inc: () => (counted.tried += 1) },
        poisoned: { set: (_labels, seconds) => (counted.deadAtS = seconds) },
      },
      retry: (job) =>
        work.run({ key: job.id, claim: job.claim }, async () => {
          tried.push(job.id);
          await settle(job, await attempt(job));
        }),
      end: (job, why) => {
        dead.set(job.id, why);
        return settle(job, { do: 'dead', code: why.code });
      },
    });
    suspects.start();
  });
  afterEach(() => suspects.stop());
  afterAll(async () => {
    await liveness.onApplicationShutdown();
    await db.destroy();
    await database.drop();
  });

  const settle = (job: Job, verdict: Verdict) => work.settle([settlementOf(job.id, job, verdict, policy)]);
  const row = async (id: string): Promise<Job> =>
    ((await db.query('SELECT * FROM jobs.job WHERE id = $1', [id])) as Job[])[0]!;
  /** Claimed by a process that then died. */
  const heldByDead = async (...ids: string[]): Promise<void> => {
    const gone = new Work<Job>(db, { table: 'jobs.job', project: null, leaseMs: 60_000, owner: () => 'live_gone' });
    await db.query('INSERT INTO jobs.job (id) SELECT unnest($1::text[])', [ids]);
    await gone.claimDue(ids.length);
  };
  const endsAs = (id: string, state: string): Promise<unknown> =>
    until(`${id} ends as ${state}`, async () => (await row(id)).state === state);

  it('is tried alone, one after the other, and the attempt that was interrupted does not count', async () => {
    await heldByDead('a', 'b', 'c');
    let acting = 0;
    const together: number[] = [];
    const tries: number[] = [];
    attempt = async (job) => {
      acting += 1;
      await db.query('SELECT pg_sleep(0.05)');
      together.push(acting);
      tries.push((await row(job.id)).tries);
      acting -= 1;
      return { do: 'done' };
    };
    liveness.noteLoss('a test');
    await until('one is tried', () => acting > 0);
    await db.query("INSERT INTO jobs.job (id) VALUES ('new')");
    const other = (await work.claim('new'))!;
    const seen = await work.run({ key: 'new', claim: other.claim }, async () => acting);
    for (const id of ['a', 'b', 'c']) await endsAs(id, 'done');
    expect(seen).toBe(0);
    expect(together).toEqual([1, 1, 1]);
    expect(tries).toEqual([1, 1, 1]);
    expect(counted.tried).toBeGreaterThanOrEqual(3);
  });

  it('is claimed by nothing else until it was tried', async () => {
    await heldByDead('a');
    await work.freeGone(2);
    expect(await work.claim('a')).toBeNull();
    expect(await work.overdue(0, 10)).toEqual([]);
    expect(await row('a')).toMatchObject({ deaths: 1, tries: 0, on_trial: false });
  });

  it('is dead when its process died again with it alone, and says what to do', async () => {
    await heldByDead('poison', 'neighbour');
    await work.freeGone(2);
    await db.query("UPDATE jobs.job SET state = 'running', owner = 'live_gone', on_trial = true WHERE id = 'poison'");
    liveness.noteLoss('a test');
    await endsAs('poison', 'dead');
    await endsAs('neighbour', 'done');
    expect(tried).toEqual(['neighbour']);
    expect(await row('poison')).toMatchObject({ reason: 'kills_its_process', deaths: 2 });
    expect(dead.get('poison')?.message).toMatch(
      /ended 2 times, the last time while it worked on nothing else.*redrive/s,
    );
    expect(counted.deadAtS).toBeGreaterThan(Date.now() / 1_000 - 60);
  });

  it('is suspected, not convicted, by any number of deaths beside others', async () => {
    await heldByDead('a');
    for (let deaths = 1; deaths <= 3; deaths += 1) {
      await db.query("UPDATE jobs.job SET state = 'running', owner = 'live_gone', on_trial = false");
      await work.freeGone(2);
      expect(await row('a')).toMatchObject({ deaths, on_trial: false, state: 'queued' });
    }
    liveness.noteLoss('a test');
    await endsAs('a', 'done');
  });

  it('lets others in when its trial takes long, and a death after that convicts nobody', async () => {
    await heldByDead('slow');
    const held = Promise.withResolvers<Verdict>();
    attempt = () => held.promise;
    liveness.noteLoss('a test');
    await until('it is on trial', () => tried.length > 0);
    expect(await row('slow')).toMatchObject({ on_trial: true });
    await db.query("INSERT INTO jobs.job (id) VALUES ('new')");
    const other = (await work.claim('new'))!;
    expect(await work.run({ key: 'new', claim: other.claim }, async () => 'beside')).toBe('beside');
    expect(await row('slow')).toMatchObject({ state: 'running', on_trial: false });
    held.resolve({ do: 'done' });
    await endsAs('slow', 'done');
  });

  it('is no suspect any more once an attempt at it has ended, and still one where that was no attempt', async () => {
    await heldByDead('failed', 'waits');
    attempt = async ({ id }) =>
      id === 'failed'
        ? { do: 'retry', code: 'timeout' }
        : { do: 'later', ms: 60_000, code: 'circuit_open', ages: true };
    liveness.noteLoss('a test');
    await until('both were tried', async () => (await row('failed')).reason && (await row('waits')).reason);
    expect(await row('failed')).toMatchObject({ state: 'queued', deaths: 0, tries: 1 });
    expect(await row('waits')).toMatchObject({ state: 'queued', deaths: 1, tries: 0 });
  });

  it('is no suspect where Postgres was away, and one that is redriven still is', async () => {
    await heldByDead('a');
    await work.freeGone(null);
    expect(await row('a')).toMatchObject({ state: 'queued', deaths: 0, tries: 0 });
    await db.query("UPDATE jobs.job SET state = 'dead', deaths = 3, ended_at = now()");
    await db.query(`UPDATE jobs.job SET ${work.reopenSql()}`);
    expect(await row('a')).toMatchObject({ state: 'queued', deaths: 1 });
    expect(await work.claim('a')).toBeNull();
  });
});
