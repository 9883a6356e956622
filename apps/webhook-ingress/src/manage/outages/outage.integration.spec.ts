import { until } from '#libs/testing';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

/** So long that a busy machine makes no outage of its own. */
const settings = { OUTAGE_GAP_MS: 240_000 };
let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress();
  await world.start(settings);
});
afterAll(() => world.close());

const mark = async (): Promise<Date | null> =>
  (await world.query<{ swept_to: Date }>('SELECT swept_to FROM ingress.sweep WHERE id = 2'))[0]?.swept_to ?? null;

describe('an outage of the door', () => {
  it('is noticed by the next process, and the gateway is informed once it takes that', async () => {
    const { gateway } = world;
    await until('the door is marked as open', mark);
    expect(await world.query('SELECT FROM ingress.outage')).toEqual([]);
    await world.app.close();
    gateway.vaultDown = true;
    await world.query("UPDATE ingress.sweep SET swept_to = now() - interval '5 minutes' WHERE id = 2");
    const closedAt = await mark();
    const [opened] = await world.query<{ at: Date }>('SELECT now() AS at');
    await world.restart(settings);
    await until('it is noted', async () => (await world.query('SELECT FROM ingress.outage')).length === 1);
    gateway.vaultDown = false;
    const [outage] = await until('the gateway is informed', () => gateway.outages.length > 0 && gateway.outages);
    expect(outage).toMatchObject({ app_id: null, since: closedAt?.toISOString() });
    expect(Date.parse(outage?.until ?? '')).toBeGreaterThanOrEqual(opened?.at.getTime() ?? Infinity);
    await until('that is noted', async () => {
      const rows = await world.query<{ announced_at: Date | null }>('SELECT announced_at FROM ingress.outage');
      return rows.every(({ announced_at: at }) => at !== null);
    });
    expect(gateway.outages).toHaveLength(1);
  });
});
