import { until } from '#libs/testing';
import type pg from 'pg';
import { type OauthWorld, startWorld } from './oauth-world.js';

let world: OauthWorld;

beforeAll(async () => {
  // Only callers refresh here: a sweeper between two steps would leave the test nothing to kill.
  world = await startWorld({ count: 2, env: { REFRESH_SWEEP_MS: '3600000', REFRESH_TAKEOVER_MS: '1500' } });
});

afterAll(() => world?.close());

afterEach(() => world.provider.configure({ faults: [], graceMs: 0, release: true }));

/** Holds a lock while the work runs. */
async function withLock(sql: string, parameters: unknown[], work: () => Promise<void>): Promise<void> {
  const holder: pg.PoolClient = await world.vaults.db.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(sql, parameters);
    await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

const lockGrant = 'SELECT 1 FROM vault.oauth_grant WHERE credential_id = $1 FOR UPDATE';
const lockAttempts = 'SELECT 1 FROM vault.refresh_attempt WHERE credential_id = $1 FOR UPDATE';

const waiting = (what: string): Promise<unknown> =>
  until(`a process waits for ${what}`, async () => {
    const { rows } = await world.vaults.db.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE $1",
      [`%${what}%`],
    );
    if (rows.length === 0) throw new Error(`process 1 last answered ${lastAnswer}`);
    return true;
  });

async function begin(name: string): Promise<string> {
  const id = await world.connected(name);
  await world.expire(id);
  return id;
}

let asking = false;
let lastAnswer = 'nothing';

/** Asks process 1 for a token, and retries when asked to, until it is killed. */
async function ask(id: string): Promise<void> {
  asking = true;
  await until('process 1 gives a token', async () => {
    if (!asking) return true;
    const { status, body } = await world.vaults.resolve(id, 1);
    lastAnswer = `${status} ${body.code ?? ''}`;
    return status !== 503;
  }).catch((error: unknown) => (lastAnswer = String(error)));
}

async function kill(): Promise<void> {
  asking = false;
  await world.vaults.kill(1);
}

const held = (): Promise<unknown> =>
  until('the provider has it', async () => (await world.provider.recorded()).held === 1);
const recovers = (id: string): Promise<unknown> =>
  until('the other process gives a token', async () => (await world.vaults.resolve(id)).status === 200);

afterEach(() => world.vaults.start(1));

describe('a process that is killed', () => {
  it('before the intent has sent no request, and the grant lives', async () => {
    const id = await begin('before the intent');
    await withLock(lockGrant, [id], async () => {
      void ask(id);
      await waiting('refresh_attempt');
      await kill();
      expect(await world.provider.refreshes()).toHaveLength(0);
    });
    await recovers(id);
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('before its request reached the provider is taken over, and the grant lives', async () => {
    const id = await begin('before the provider');
    await world.provider.configure({ faults: [{ kind: 'drop-before' }, { kind: 'hold-before' }] });
    void ask(id);
    await held();
    await kill();
    await recovers(id);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('while the answer is in flight recovers at a provider with a grace period', async () => {
    const id = await begin('with grace');
    await world.provider.configure({ faults: [{ kind: 'hold-after' }], graceMs: 60_000 });
    void ask(id);
    await held();
    await kill();
    await recovers(id);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('while the answer is in flight, at a provider without one, leaves a state that says so', async () => {
    const id = await begin('without grace');
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    void ask(id);
    await held();
    await kill();
    await until('the state says so', async () => (await world.vaults.resolve(id)).body.code === 'needs_reconnect');
    expect(await world.row(id)).toMatchObject({ state: 'needs_reconnect', reason: 'refresh_outcome_unknown' });
  });

  it('with an answer in hand that is not stored yet leaves a state that says so', async () => {
    const id = await begin('in hand');
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    void ask(id);
    await held();
    await withLock(lockAttempts, [id], async () => {
      await world.provider.configure({ release: true });
      await waiting('response_ct');
      await kill();
      // Otherwise the dead process's statement would still run once it gets its lock.
      await world.vaults.db.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
    });
    await until('the state says so', async () => (await world.vaults.resolve(id)).body.code === 'needs_reconnect');
    expect(await world.row(id)).toMatchObject({ state: 'needs_reconnect', reason: 'refresh_outcome_unknown' });
  });

  it('with the answer stored and not applied loses nothing, and nobody asks again', async () => {
    const id = await begin('kept');
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    void ask(id);
    await held();
    await withLock(lockGrant, [id], async () => {
      await world.provider.configure({ release: true });
      await until('the answer is stored', async () => {
        const { rows } = await world.vaults.db.query(
          'SELECT 1 FROM vault.refresh_attempt WHERE credential_id = $1 AND base_version = 1 AND response_ct IS NOT NULL',
          [id],
        );
        return rows.length > 0;
      });
      await kill();
    });
    await recovers(id);
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
    await world.expire(id);
    await recovers(id);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 3 });
  });
});
