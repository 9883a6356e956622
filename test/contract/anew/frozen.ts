import { until } from '#libs/testing';
import type { CourierWorld } from './courier-world.js';

/** An adapter whose process takes connections and answers nothing. @param shared the world */
export function holdFrozen(shared: () => CourierWorld): void {
  describe('while the adapter hangs', () => {
    it('others go on, its own messages wait, and are answered once when it goes on', async () => {
      const world = shared();
      const sent = world.courier.sent.length;
      const resume = world.adapter.freeze();
      try {
        const ids = [await world.write(), await world.write()];
        await world.neighbourGoesOn();
        for (const id of ids) expect((await world.event(id)).outcome).toBeNull();
        await until('it is found not to be ready', async () => (await world.page()).state === 'unready');
        await world.neighbourGoesOn();
        resume();
        for (const id of ids) await world.system.reached(id, 'delivery', 'delivered');
        expect(world.courier.sent).toHaveLength(sent + 2);
      } finally {
        resume();
      }
    });
  });
}
