import { Metrics } from './metrics.js';

describe('the metrics of queues', () => {
  it('report what waits, and nothing for a queue that cannot be queried', async () => {
    let away = false;
    const metrics = new Metrics('a-service');
    metrics.queues(['inbound', 'route'], async (queue) => {
      if (away && queue === 'route') throw new Error('Redis is away');
      return { waiting: 7, active: 2, delayed: 1, oldestMs: 1_500 };
    });
    const before = await metrics.registry.metrics();
    for (const queue of ['inbound', 'route']) {
      expect(before).toContain(`gatehouse_queue_jobs{queue="${queue}",state="waiting",service="a-service"} 7`);
      expect(before).toContain(`gatehouse_queue_oldest_seconds{queue="${queue}",service="a-service"} 1.5`);
    }
    away = true;
    const after = await metrics.registry.metrics();
    expect(after).toContain('gatehouse_queue_jobs{queue="inbound",state="active",service="a-service"} 2');
    expect(after).not.toContain('queue="route"');
  });
});
