import { newTimedId } from '#libs/contracts';
import { until } from '#libs/testing';
import fc from 'fast-check';
import { setImmediate as nextTick } from 'node:timers/promises';
import { caller } from '../../apps/router/src/testing/router-world.js';
import { receipt } from '../../apps/webhook-ingress/src/testing/receipts-world.js';
import { type OrderWorld, orderWorld } from './order-world.js';

describe('a message that does not arrive', () => {
  let world: OrderWorld;

  beforeAll(async () => {
    world = await orderWorld(() => 0, 1_000);
  });
  afterAll(() => world.close());

  it('is waited for once, and for no longer than ORDER_WAIT_MS', async () => {
    const appId = await world.app('queue');
    const { organizationId, projectId } = caller;
    const send = (): string => {
      const { id, timeMs } = newTimedId('evt');
      const body = Buffer.from(JSON.stringify({ task: 'hello', thread_id: 'one' }));
      world.dispatcher.offer(receipt({ id, receivedAt: new Date(timeMs), appId, organizationId, projectId, body }));
      return id;
    };
    const took = async (id: string): Promise<number> =>
      until('it is stored', async () => {
        const { rows } = await world.pool.query<{ created_at: Date }>(
          'SELECT created_at FROM engine.turn WHERE receipt_id = $1',
          [id],
        );
        return rows[0] && rows[0].created_at.getTime() - Number.parseInt(id.slice(4, 16), 16);
      });
    world.jobs.order.enter(appId, newTimedId('evt').id);
    expect(await took(send())).toBeGreaterThanOrEqual(1_000);
    await until('neither is in the order', async () => (await world.jobs.order.upTo(appId, 'evt_g', 10)).length === 0);
    await took(send());
  });
});

/** ORDER_RUNS=100 for a long run; SEED=<number> to repeat a failed one. */
const runs = Number(process.env['ORDER_RUNS'] ?? 6);
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

describe.each([
  ['through Redis', 0],
  ['handed over', 4],
])('messages of one session, %s,', (_way, handOver) => {
  let world: OrderWorld;
  /** The delays of the current run's hops, in order. */
  let delays = [0];
  let hops = 0;
  const apps: Record<'queue' | 'collect', string> = { queue: '', collect: '' };

  beforeAll(async () => {
    // Nothing may be lost here, however busy the machine is.
    world = await orderWorld(() => delays[hops++ % delays.length] ?? 0, 60_000, handOver);
    for (const mode of ['queue', 'collect'] as const) apps[mode] = await world.app(mode);
  });
  afterAll(() => world.close());

  /** @returns for each session, the numbers of its messages in the order in which they were handled */
  async function handled(mode: 'queue' | 'collect', sessions: number[], run: string): Promise<number[][]> {
    const { organizationId, projectId } = caller;
    const ids: string[] = [];
    for (const [n, session] of sessions.entries()) {
      const { id, timeMs } = newTimedId('evt');
      const body = Buffer.from(JSON.stringify({ task: 'hello', thread_id: `${run} ${session}`, n }));
      const appId = apps[mode];
      world.dispatcher.offer(receipt({ id, receivedAt: new Date(timeMs), appId, organizationId, projectId, body }));
      ids.push(id);
      await nextTick();
    }
    const turns = await until('all of them are handled', async () => {
      const { rows } = await world.pool.query<{ session: string; numbers: number[] }>(
        `SELECT t.session_id AS session,
                ARRAY(SELECT (m -> 'metadata' -> 'payload' ->> 'n')::integer
                        FROM jsonb_array_elements(coalesce(t.input -> 'earlier', '[]') || jsonb_build_array(t.input -> 'message')) AS m)
                AS numbers
           FROM engine.turn t WHERE t.app_id = $1 AND t.state = 'succeeded' AND t.receipt_id BETWEEN $2 AND $3
          ORDER BY t.session_id, t.epoch`,
        [apps[mode], ids[0], ids.at(-1)],
      );
      return rows.reduce((sum, { numbers }) => sum + numbers.length, 0) >= ids.length && rows;
    });
    return [...Map.groupBy(turns, ({ session }) => session).values()].map((own) =>
      own.flatMap(({ numbers }) => numbers),
    );
  }

  it.each(['queue', 'collect'] as const)(
    'are handled in the order of their receipts, by two replicas of everything: %s',
    async (mode) => {
      const hop = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(30) }, fc.nat(300));
      await fc.assert(
        fc.asyncProperty(
          fc.array(hop, { minLength: 1, maxLength: 90 }),
          fc.array(fc.nat(2), { minLength: 20, maxLength: 120 }),
          async (slow, sessions) => {
            [delays, hops] = [slow, 0];
            const found = await handled(mode, sessions, newTimedId('run').id);
            const sent = [...new Set(sessions)].map((session) =>
              sessions.flatMap((each, n) => (each === session ? [n] : [])),
            );
            const byFirst = (a: number[], b: number[]): number => a[0]! - b[0]!;
            expect(found.toSorted(byFirst)).toEqual(sent.toSorted(byFirst));
          },
        ),
        { numRuns: runs, seed, endOnFailure: true },
      );
    },
    Math.max(300_000, runs * 20_000),
  );
});
