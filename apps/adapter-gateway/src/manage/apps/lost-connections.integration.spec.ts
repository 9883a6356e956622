import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;

beforeAll(async () => {
  world = await startGateway();
});
afterAll(() => world.close());

it('a request that loses its Postgres connection is asked to retry, wherever it loses it', async () => {
  const ending = setInterval(() => {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adapter-gateway' AND datname = current_database()`;
    void world.pool.query(sql);
  }, 5);
  const answers = new Map<number, { retryAfter: string | null }>();
  const asking = async (client: number): Promise<void> => {
    for (let request = 0; request < 100; request += 1) {
      const body = { name: `${client}-${request}`, kind: 'builtin' };
      const { status, headers } = await world.call('POST', 'apps', body);
      answers.set(status, { retryAfter: headers.get('retry-after') });
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(asking)).finally(() => clearInterval(ending));
  answers.delete(201);
  expect([...answers]).toEqual([[503, { retryAfter: '2' }]]);
});
