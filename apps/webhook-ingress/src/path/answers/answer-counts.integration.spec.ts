import { until } from '#libs/testing';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';
import { AnswerCounts } from './answer-counts.js';

let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress({ endpoints: [endpoint('open', { kind: 'builtin', verification: 'none' })] });
  await world.start();
});
afterAll(() => world.close());

describe('answers to webhooks', () => {
  it('are counted by App: accepted ones by their duration, the others by their code', async () => {
    const post = async (body: string): Promise<number> => (await world.post('open', body)).status;
    expect([await post('{}'), await post('{}'), await post('{')]).toEqual([200, 200, 400]);
    const counted = (measure: string): Promise<{ label: string; count: number }[]> =>
      world.query(
        `SELECT substr(key, length($1) + 2) AS label, sum(value::integer)::integer AS count
           FROM journal.statistic CROSS JOIN jsonb_each_text(counts)
          WHERE app_id = 'app_open' AND project_id = 'prj_1' AND starts_with(key, $1 || ':') GROUP BY 1`,
        [measure],
      );
    const sum = async (measure: string): Promise<number> =>
      (await counted(measure)).reduce((all, { count }) => all + count, 0);
    await world.app.get(AnswerCounts, { strict: false }).write();
    // The service writes them too, every 30 s.
    await until('all are written', async () => (await sum('ack_ms')) + (await sum('refused')) >= 3);
    expect(await counted('refused')).toEqual([{ label: 'invalid_json', count: 1 }]);
    expect(await sum('ack_ms')).toBe(2);
  });
});
