import { createService, ServiceTokens } from '#libs/service-kit';
import { ask, testDatabase, type TestDatabase, testServiceKey, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { ingressService } from '../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { ingressSettings } from '../testing/ingress-settings.js';

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
  gateway.endpoints = [
    endpoint('own', { delivery_id_header: 'x-delivery' }),
    endpoint('held', { state: 'paused' }),
    endpoint('closed', { state: 'disabled' }),
    endpoint('small', { max_body_bytes: 10 }),
  ];
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

describe('a request that was fetched from its provider', () => {
  const home = { organizationId: 'org_1', projectId: 'prj_1' };
  const tokens = new ServiceTokens(testServiceKey, 'adapter-gateway');
  const store = async (body: object, scope = home) => {
    const token = await tokens.mint('webhook-ingress', { ...scope, subject: 'service:test', scopes: ['service'] });
    const url = `${await service.getUrl()}/internal/missed-requests`;
    return ask<{ stored: boolean; id: string; code: string }>({ method: 'POST', url, token, body });
  };
  const missed = {
    app_id: 'app_own',
    id: 'm-1',
    body: '{"text":"hello"}',
    headers: { 'X-Event': 'push' },
    query: { a: '1' },
  };

  it('is stored once under its id, verified, and says where it comes from', async () => {
    await until('the endpoints are known', async () => (await store(missed)).status === 200);
    const again = await store(missed);
    expect(again.body).toMatchObject({ stored: false });
    const { rows } = await pool.query('SELECT * FROM ingress.receipt WHERE id = $1', [again.body.id]);
    expect(rows).toEqual([
      expect.objectContaining({
        verified_scheme: 'asked_again',
        reason: 'asked_again',
        outcome: 'accepted',
        url: '/api/v1/webhooks/asked_again?a=1',
        body: Buffer.from(missed.body),
      }),
    ]);
    expect(JSON.parse(String(rows[0].headers))).toMatchObject({ 'x-event': 'push' });
  });

  it('is not stored where the webhook itself arrived, or the other way round', async () => {
    const send = async (id: string) => {
      const headers = { 'content-type': 'application/json', 'x-delivery': id };
      const answer = await fetch(`${await service.getUrl()}/api/v1/webhooks/own`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      return (await answer.json()) as { id: string; duplicate?: boolean };
    };
    const delivered = await store({ ...missed, id: 'm-2', body: '{}', headers: { 'x-delivery': 'd-2' } });
    expect(delivered.body.stored).toBe(true);
    // An unverified request claims no key: its adapter is asked first.
    expect((await send('d-3')).duplicate).toBeUndefined();
    expect((await store({ ...missed, id: 'm-4', body: '{}', headers: { 'x-delivery': 'd-2' } })).body).toEqual({
      stored: false,
      id: delivered.body.id,
    });
  });

  it('is held for a paused App, and refused for one that takes nothing, another project, and over its size', async () => {
    const held = await store({ ...missed, app_id: 'app_held' });
    const { rows } = await pool.query('SELECT outcome FROM ingress.receipt WHERE id = $1', [held.body.id]);
    expect(rows).toEqual([{ outcome: 'held' }]);
    expect((await store({ ...missed, app_id: 'app_closed' })).status).toBe(409);
    expect((await store(missed, { ...home, projectId: 'prj_2' })).status).toBe(404);
    expect((await store({ ...missed, app_id: 'app_small' })).status).toBe(413);
  });
});
