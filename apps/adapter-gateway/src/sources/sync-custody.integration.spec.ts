import { until } from '#libs/testing';
import { type DocumentProvider, documentProvider } from '../testing/document-provider.js';
import { DocumentSource } from '../testing/document-source.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';

const count = 250;
/** A short lease, so that an abandoned run is soon claimed again. */
const settings = {
  SYNC_LEASE_MS: 400,
  SYNC_SLICE_MS: 100,
  SYNC_SWEEP_MS: 50,
  SYNC_ATTEMPTS: 50,
  DOCUMENT_ATTEMPTS: 50,
  SOURCE_FETCH_TIMEOUT_MS: 5_000,
};

let world: GatewayWorld;
let provider: DocumentProvider;
let source: DocumentSource;

async function twoReplicas(each: typeof settings): Promise<void> {
  world = await startGateway(each);
  await world.start();
  provider = await documentProvider('docs');
  source = await DocumentSource.of(world, provider);
  for (let n = 0; n < count; n += 1) provider.files.set(`f/${n}`, `text ${n}`);
}
afterEach(async () => {
  await world.close();
  await provider.close();
});

async function ended() {
  return until('the run has ended', async () => {
    const [newest] = await source.runs();
    return newest?.finished_at ? newest : null;
  });
}

const sync = (): Promise<unknown> => world.call('POST', `sources/${source.id}/sync`);
async function kept(): Promise<number> {
  const { rows } = await world.pool.query(
    `SELECT count(*)::int AS n, count(DISTINCT path)::int AS paths FROM gateway.source_document WHERE state = 'current'`,
  );
  expect(rows[0].n).toBe(rows[0].paths);
  return rows[0].n;
}

describe('a run that two replicas share while they keep their leases', () => {
  it('moves from one to the other, and fetches every document once', async () => {
    await twoReplicas({ ...settings, SYNC_LEASE_MS: 60_000 });
    await sync();
    expect(await ended()).toMatchObject({ state: 'succeeded', added: count, failed: 0 });
    expect(await kept()).toBe(count);
    expect(new Set(provider.fetched.values())).toEqual(new Set([1]));
    const { rows } = await world.pool.query('SELECT claim FROM gateway.sync_run');
    // Slices of 100 ms: several processes claimed it.
    expect(rows[0].claim).toBeGreaterThan(2);
  });
});

describe('a run that two replicas share', () => {
  beforeEach(() => twoReplicas(settings));

  it('loses and duplicates nothing when its connections break at any step', async () => {
    await sync();
    let broken = 0;
    const breaking = setInterval(() => {
      void world.pool
        .query(
          `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name = 'adapter-gateway' AND datname = current_database()`,
        )
        .then(() => (broken += 1));
    }, 150);
    try {
      await until('it was broken off often', async () => broken >= 8 || (await kept()) === count);
    } finally {
      clearInterval(breaking);
    }
    const run = await until('the run has ended', ended);
    expect(run).toMatchObject({ state: 'succeeded', added: count, removed: 0, failed: 0 });
    expect(await kept()).toBe(count);
    expect(broken).toBeGreaterThan(1);
  });

  it('ignores a late replica: what it does after its lease has expired does not count', async () => {
    provider.files = new Map([['slow', 'text']]);
    let calls = 0;
    let late = false;
    provider.onFetch = async () => {
      calls += 1;
      if (calls > 1) return { bytes: Buffer.from('in time'), fingerprint: 'text' };
      await until('another one has finished the run', async () => (await kept()) === 1);
      late = true;
      return { bytes: Buffer.from('too late'), fingerprint: 'text' };
    };
    await sync();
    expect(await ended()).toMatchObject({ state: 'succeeded', added: 1 });
    await until('the late one was answered', () => late);
    // By the end of another run the late answer has been handled.
    await sync();
    await until('another run has ended', async () => {
      const runs = await source.runs();
      return runs.length === 2 && runs[0]?.finished_at;
    });
    const { rows } = await world.pool.query(
      `SELECT convert_from(content, 'utf8') AS text FROM gateway.source_document`,
    );
    expect(rows).toEqual([{ text: 'in time' }]);
  });

  it('is found by the sweep when its job is lost', async () => {
    const { rows } = await world.pool.query(
      `INSERT INTO gateway.sync_run (id, organization_id, project_id, source_id, cause, state, phase, listing, pages, added,
         changed, removed, failed, failures, created_at)
       SELECT 'syn_lost', organization_id, project_id, id, 'request', 'queued', 'listing', 1, 0, 0, 0, 0, 0, '[]', now()
         FROM gateway.source RETURNING id`,
    );
    expect(rows).toHaveLength(1);
    expect(await ended()).toMatchObject({ id: 'syn_lost', state: 'succeeded', added: count });
  });

  it('waits for the adapter when that says so, at the cost of no attempt', async () => {
    provider.files = new Map([['a', 'text']]);
    let refused = 0;
    provider.onList = () => {
      refused += 1;
      return refused > 60 ? undefined : { ok: false, error: 'rate_limited', retry_after: 0.001 };
    };
    await sync();
    expect(await ended()).toMatchObject({ state: 'succeeded', added: 1 });
    expect(refused).toBeGreaterThan(settings.SYNC_ATTEMPTS);
  });
});
