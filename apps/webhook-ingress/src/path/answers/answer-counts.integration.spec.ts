import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase, testPool, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type pg from 'pg';
import { ingressService } from '../../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { ingressSettings } from '../../testing/ingress-settings.js';
import { AnswerCounts } from './answer-counts.js';

let database: TestDatabase;
let pool: pg.Pool;
let gateway: FakeGateway;
let service: NestFastifyApplication;

beforeAll(async () => {
  database = await testDatabase();
  pool = testPool(database.url);
  gateway = await fakeGateway();
  gateway.endpoints = [endpoint('open', { kind: 'builtin', verification: 'none' })];
  service = await createService(ingressService(ingressSettings(database.url, gateway.url)));
  await service.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await service.close();
  await gateway.close();
  await pool.end();
  await database.drop();
});

describe('answers to webhooks', () => {
  it('are counted by App: accepted ones by their duration, the others by their code', async () => {
    const post = async (body: string): Promise<number> => {
      const url = `${await service.getUrl()}/api/v1/webhooks/open`;
      return (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).status;
    };
    expect([await post('{}'), await post('{}'), await post('{')]).toEqual([200, 200, 400]);
    const counted = async (measure: string): Promise<{ label: string; count: number }[]> =>
      (
        await pool.query(
          `SELECT substr(key, length($1) + 2) AS label, sum(value::integer)::integer AS count
             FROM journal.statistic CROSS JOIN jsonb_each_text(counts)
            WHERE app_id = 'app_open' AND project_id = 'prj_1' AND starts_with(key, $1 || ':') GROUP BY 1`,
          [measure],
        )
      ).rows;
    const sum = async (measure: string): Promise<number> =>
      (await counted(measure)).reduce((all, { count }) => all + count, 0);
    await service.get(AnswerCounts, { strict: false }).write();
    // The service writes them too, every 30 s.
    await until('all are written', async () => (await sum('ack_ms')) + (await sum('refused')) >= 3);
    expect(await counted('refused')).toEqual([{ label: 'invalid_json', count: 1 }]);
    expect(await sum('ack_ms')).toBe(2);
  });
});
