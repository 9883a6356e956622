import { type BreakableLink, openLink, testDatabase, type TestDatabase, testPool, until } from '#libs/testing';
import { createServer, connect, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { isGone, Liveness } from './liveness.js';

describe('the liveness of a process', () => {
  let database: TestDatabase;
  let link: BreakableLink;
  let pool: pg.Pool;
  const alive: Liveness[] = [];

  beforeAll(async () => {
    database = await testDatabase();
    link = await openLink(database.url);
    pool = testPool(database.url, { max: 2 });
  });
  afterEach(async () => {
    link.mend();
    await Promise.all(alive.splice(0).map((each) => each.onApplicationShutdown()));
  });
  afterAll(async () => {
    await pool.end();
    await link.close();
    await database.drop();
  });

  const start = async (url = database.url): Promise<{ liveness: Liveness; losses: () => number }> => {
    const liveness = new Liveness({ url, applicationName: 'test' });
    let losses = 0;
    liveness.onLoss(() => (losses += 1));
    await liveness.onModuleInit();
    alive.push(liveness);
    return { liveness, losses: () => losses };
  };
  /** Reported its own start, and once more. */
  const settled = ({ losses }: { losses: () => number }): boolean => losses() === 2;
  const gone = async (owner: string): Promise<boolean> =>
    (await pool.query(`SELECT ${isGone('$1::text')} AS gone`, [owner])).rows[0].gone;

  it('is proven from the start, and its end becomes known to all others', async () => {
    const mortal = await start(link.url);
    const { owner } = mortal.liveness;
    expect(owner).toMatch(/^live_test_/);
    const [one, two] = [await start(), await start()];
    await until('they have settled, and know each other', () => settled(one) && settled(two));
    expect(await gone(owner)).toBe(false);
    link.cut();
    await until('it is gone', () => gone(owner));
    expect(mortal.liveness.owners).toContain(owner);
    await until('the others know', () => one.losses() > 2 && two.losses() > 2);
  });

  it('reports its start at once where others run on, and waits for others where it is the only one', async () => {
    await until('Postgres has run for a while', async () => {
      const { rows } = await pool.query(`SELECT now() - pg_postmaster_start_time() > interval '16 s' AS is_old`);
      return rows[0].is_old;
    });
    const settledOne = await start();
    await until('it has settled', () => settled(settledOne));
    const elsewhere = await testDatabase();
    const reported: string[] = [];
    const [alone, beside] = [await start(elsewhere.url), await start()];
    alone.liveness.onLoss(() => reported.push('alone'));
    beside.liveness.onLoss(() => reported.push('beside'));
    await until('both have reported it', () => settled(alone) && settled(beside));
    expect(reported[0]).toBe('beside');
    await Promise.all(alive.splice(0).map((each) => each.onApplicationShutdown()));
    await elsewhere.drop();
  });

  it('is proven again under the same name after a lost connection, and losses meanwhile are looked for', async () => {
    const started = await start(link.url);
    const { liveness, losses } = started;
    const { owner } = liveness;
    await until('it has settled', () => settled(started));
    link.cut();
    await until('nothing proves it', () => !liveness.owner.startsWith('live_'));
    link.mend();
    await until('it is proven', () => liveness.owner === owner);
    expect(await gone(owner)).toBe(false);
    await until('a loss is reported', () => losses() > 2);
  });

  it('is not proven through a pooler: its leases end by their time', async () => {
    const pooler = await pretendPooler(database.url);
    const { liveness } = await start(pooler.url);
    expect(liveness.owner).toMatch(/^test_/);
    expect(await gone(liveness.owner)).toBe(false);
    await alive.pop()?.onApplicationShutdown();
    expect(await gone(liveness.owner)).toBe(false);
    pooler.server.close();
  });
});

/** Forwards everything, and names a backend other than the one that answers, as PgBouncer does. */
async function pretendPooler(url: string): Promise<{ url: string; server: Server }> {
  const target = new URL(url);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      // BackendKeyData: 'K', a length of 12, the backend's pid, its secret.
      const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at >= 0) chunk.writeInt32BE(7, at + 5);
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.port = String((server.address() as AddressInfo).port);
  target.hostname = '127.0.0.1';
  return { url: target.href, server };
}
