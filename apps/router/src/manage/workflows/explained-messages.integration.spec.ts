import type { MessageRow } from '../../entities/message.entity.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { TriggerRow } from '../../entities/rules.entity.js';

describe('the verdicts of many triggers', () => {
  let world: RouterWorld;
  let routing: RoutingService;

  beforeAll(async () => {
    world = await routerWorld();
    routing = (await world.start()).get(RoutingService, { strict: false });
  });
  afterAll(() => world.close());

  it('are stored in part, and shown in full on request', async () => {
    const appId = await world.channel({ unknown_senders: 'open', route_policy: 'triggers' });
    const workflow = await world.call<{ id: number }>('POST', 'workflows', { name: 'w', instructions: '' });
    const ids: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      const rule = { app_id: appId, workflow_id: workflow.body.id, where: `metadata.n > ${n}` };
      const { body } = await world.call<TriggerRow>('POST', 'triggers', rule);
      ids.push(body.id);
    }
    const job = jobOf(appId, { metadata: { n: 1 } });
    await routing.route(job, 1);
    const row = await world.message(job.receipt_id);
    expect(row).toMatchObject({ outcome: 'routed', unlisted_verdicts: 4 });
    expect(row.verdicts).toHaveLength(21);
    await world.call('DELETE', `triggers/${ids[24]}`);
    await world.call('PATCH', `triggers/${ids[23]}`, { where: 'metadata.n > 0' });
    const { body } = await world.call<{ messages: MessageRow[] }>('GET', `events/${row.receipt_id}`);
    const [message] = body.messages;
    expect(message?.unlisted_verdicts).toBe(1);
    expect(message?.verdicts.map((each) => each.trigger_id)).toEqual(ids.slice(0, 24));
    expect(message?.verdicts.map(({ verdict }) => verdict)).toEqual(['matched', ...Array(23).fill('filtered')]);
    expect(message?.verdicts[22]?.reason).toBe('metadata.n > 22: metadata.n is 1');
    expect(message?.verdicts[23]?.reason).toContain('changed since');
  });
});
