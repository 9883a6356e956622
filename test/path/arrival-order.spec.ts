import { newTimedId } from '#libs/contracts';
import { until } from '#libs/testing';
import { caller } from '../../apps/router/src/testing/router-under-test.js';
import { receipt } from '../../apps/webhook-ingress/src/testing/receipts-under-test.js';
import { type OrderWorld, orderWorld } from './order-world.js';

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
