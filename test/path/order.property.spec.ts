import { newTimedId } from '#libs/contracts';
import { until } from '#libs/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { caller } from '../../apps/router/src/testing/router-under-test.js';
import { receipt } from '../../apps/webhook-ingress/src/testing/receipts-under-test.js';
import { type OrderWorld, orderWorld } from './order-world.js';

const sessions = 10;
const messagesOf = 20;
const apartMs = 35;

/** Mostly a little, at times much more than messages are apart. */
const delayMs = (): number => Math.random() * (Math.random() < 0.25 ? 250 : 20);

describe('whatever holds them up on the way', () => {
  let world: OrderWorld;

  beforeAll(async () => {
    world = await orderWorld(delayMs, 20_000);
  }, 60_000);
  afterAll(() => world.close());

  /** As the ingress makes it. */
  const acknowledge = (appId: string, thread: string, text: string): void => {
    const { id, timeMs } = newTimedId('evt');
    const body = Buffer.from(JSON.stringify({ task: text, thread_id: thread }));
    const { organizationId, projectId } = caller;
    const made = { id, receivedAt: new Date(timeMs), appId, organizationId, projectId, body };
    world.feeder.offer(receipt(made));
  };
  /** The texts that the turns of a session answered, in the order in which they were started. */
  const handled = async (appId: string, thread: string): Promise<string[]> => {
    const { rows } = await world.pool.query<{ texts: string[] }>(
      `SELECT ARRAY(SELECT m ->> 'message' FROM jsonb_array_elements(coalesce(t.input -> 'earlier', '[]') || jsonb_build_array(t.input -> 'message')) AS m) AS texts
         FROM engine.turn t JOIN engine.session s ON s.id = t.session_id
        WHERE s.key = $1 AND t.state = 'succeeded' ORDER BY t.epoch`,
      [`${appId} thread ${thread}`],
    );
    return rows.flatMap(({ texts }) => texts);
  };

  it.each(['queue', 'collect'] as const)(
    'messages of a session are handled in the order in which they were acknowledged (%s)',
    async (mode) => {
      const appId = await world.app(mode);
      const threads = Array.from({ length: sessions }, (_, index) => `t${index}`);
      const texts = Array.from({ length: messagesOf }, (_, index) => `message ${index}`);
      await Promise.all(
        threads.map(async (thread) => {
          await pause(Math.random() * apartMs);
          for (const text of texts) {
            acknowledge(appId, thread, text);
            await pause(apartMs);
          }
        }),
      );
      for (const thread of threads) {
        const seen = await until(
          `all of ${thread} are handled`,
          async () => {
            const all = await handled(appId, thread);
            return all.length >= texts.length && all;
          },
          60_000,
        );
        expect(seen).toEqual(texts);
      }
    },
    120_000,
  );
});

describe('one that does not come', () => {
  let world: OrderWorld;

  beforeAll(async () => {
    world = await orderWorld(() => 0, 1_000);
  }, 60_000);
  afterAll(() => world.close());

  it('is waited for once, and for no longer than ORDER_WAIT_MS', async () => {
    const appId = await world.app('queue');
    const { organizationId, projectId } = caller;
    const send = (): string => {
      const { id, timeMs } = newTimedId('evt');
      const body = Buffer.from(JSON.stringify({ task: 'hello', thread_id: 'one' }));
      world.feeder.offer(receipt({ id, receivedAt: new Date(timeMs), appId, organizationId, projectId, body }));
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
    expect(await took(send())).toBeLessThan(1_000);
    expect(await world.jobs.order.upTo(appId, 'evt_g', 10)).toEqual([]);
  });
});
