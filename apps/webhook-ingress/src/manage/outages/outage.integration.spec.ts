import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { ingressService } from '../../service.js';
import { type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { ingressSettings } from '../../testing/ingress-settings.js';

let database: TestDatabase;
let pool: pg.Pool;
let gateway: FakeGateway;
let service: NestFastifyApplication;

const start = async (): Promise<NestFastifyApplication> => {
  const started = await createService(ingressService(ingressSettings(database.url, gateway.url)));
  await started.listen(0, '127.0.0.1');
  return started;
};
beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  gateway = await fakeGateway();
  service = await start();
});
afterAll(async () => {
  await service.close();
  await gateway.close();
  await pool.end();
  await database.drop();
});

const mark = async (): Promise<Date | null> =>
  (await pool.query<{ swept_to: Date }>('SELECT swept_to FROM ingress.sweep WHERE id = 2')).rows[0]?.swept_to ?? null;

describe('an outage of the door', () => {
  it('is noticed by the next process, and the gateway is informed once it takes that', async () => {
    await until('the door is marked as open', mark);
    expect((await pool.query('SELECT FROM ingress.outage')).rowCount).toBe(0);
    await service.close();
    gateway.vaultDown = true;
    await pool.query("UPDATE ingress.sweep SET swept_to = now() - interval '5 minutes' WHERE id = 2");
    const closedAt = await mark();
    service = await start();
    await until('it is noted', async () => (await pool.query('SELECT FROM ingress.outage')).rowCount === 1);
    gateway.vaultDown = false;
    const [outage] = await until('the gateway is informed', () => gateway.outages.length > 0 && gateway.outages);
    expect(outage).toMatchObject({ app_id: null, since: closedAt?.toISOString() });
    expect(Date.now() - Date.parse(outage?.until ?? '')).toBeLessThan(60_000);
    await until('that is noted', async () => {
      const { rows } = await pool.query<{ announced_at: Date | null }>('SELECT announced_at FROM ingress.outage');
      return rows.every(({ announced_at: at }) => at !== null);
    });
    expect(gateway.outages).toHaveLength(1);
  });
});
