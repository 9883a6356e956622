import { scopeOf } from '#libs/contracts';
import { createService, type Scope, ServiceTokens } from '#libs/service-kit';
import { ask, testDatabase, type TestDatabase, testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { ingressService } from '../../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { ingressSettings } from '../../testing/ingress-settings.js';

let database: TestDatabase;
let gateway: FakeGateway;
let service: NestFastifyApplication;
let pool: pg.Pool;
const open = endpoint('open', { kind: 'adapter', verification: 'adapter', max_body_bytes: 1_000 });
const tokens = new ServiceTokens(testServiceKey, 'adapter-gateway');

beforeAll(async () => {
  database = await testDatabase();
  gateway = await fakeGateway();
  gateway.endpoints = [
    open,
    endpoint('named', { kind: 'adapter', verification: 'adapter', delivery_id_header: 'x-delivery' }),
    endpoint('paused', { kind: 'adapter', state: 'paused' }),
    endpoint('disabled', { kind: 'adapter', state: 'disabled' }),
  ];
  service = await createService(ingressService(ingressSettings(database.url, gateway.url)));
  await service.listen(0, '127.0.0.1');
  pool = new pg.Pool({ connectionString: database.url });
});
afterAll(async () => {
  await pool.end();
  await service.close();
  await gateway.close();
  await database.drop();
});

async function send(token: string, event: object, over: { scopes?: Scope[]; projectId?: string } = {}) {
  const of = gateway.endpoints.find(({ app_id: id }) => id === endpoint(token).app_id) ?? open;
  const as = { subject: 'service:test', ...scopeOf(of) };
  const bearer = await tokens.mint('webhook-ingress', { ...as, scopes: ['service'], ...over });
  const url = `${await service.getUrl()}/internal/apps/${of.app_id}/fetched-requests`;
  return ask<{ event_id: string; duplicate: boolean; code: string }>({
    method: 'POST',
    url,
    token: bearer,
    body: { as: 'fetched', ...event },
  });
}
const receipt = async (id: string) => {
  const sql = 'SELECT body, headers, url, verified_scheme, reason, outcome FROM ingress.receipt WHERE id = $1';
  return (await pool.query(sql, [id])).rows[0];
};

describe('a request that the platform has fetched', () => {
  it('is stored once by its id, whatever its body, before it is answered', async () => {
    const first = await send('open', { id: 'a', body: '{"n":1}', headers: { 'X-Kind': 'update', broken: 7 } });
    expect(first.body).toEqual({ event_id: expect.stringMatching(/^evt_/), duplicate: false });
    const stored = await receipt(first.body.event_id);
    expect(stored).toMatchObject({ verified_scheme: 'fetched' });
    expect(String(stored.body)).toBe('{"n":1}');
    expect(JSON.parse(stored.headers)).toEqual({ 'content-type': 'application/json', 'x-kind': 'update' });
    for (const body of ['{"n":1}', '{"n":2}']) {
      expect((await send('open', { id: 'a', body })).body).toEqual({ event_id: first.body.event_id, duplicate: true });
    }
    expect((await send('open', { id: 'b', body: '{"n":1}' })).body.duplicate).toBe(false);
  });

  it('says that it was asked for again, with its query, and has its bytes', async () => {
    const body = Buffer.from([0xff, 0]);
    const resent = { as: 'missed', id: 'bytes', body: body.toString('base64'), body_encoding: 'base64' };
    const { event_id: id } = (await send('open', { ...resent, query: { a: '1', broken: {} } })).body;
    const verdict = { verified_scheme: 'missed', reason: 'missed', url: '/missed?a=1', body };
    expect(await receipt(id)).toMatchObject(verdict);
    expect((await send('open', { ...resent, as: 'fetched' })).body).toEqual({ event_id: id, duplicate: true });
    expect((await send('open', { ...resent, as: 'dreamt' })).status).toBe(422);
  });

  it('is the webhook that names the same delivery', async () => {
    const headers = { 'X-Delivery': 'd-1' };
    const first = await send('named', { as: 'missed', id: 'm-1', body: '{}', headers });
    expect(first.body.duplicate).toBe(false);
    const resent = await send('named', { as: 'missed', id: 'm-2', body: '{}', headers });
    expect(resent.body).toEqual({ event_id: first.body.event_id, duplicate: true });
  });

  it('is held for an App that is paused, and refused for one that is disabled', async () => {
    const { event_id: held } = (await send('paused', { id: 'a', body: '{}' })).body;
    expect(await receipt(held)).toMatchObject({ outcome: 'held' });
    expect((await send('disabled', { id: 'a', body: '{}' })).body.code).toBe('app_disabled');
  });

  it('is refused over the size of the App, from anybody but a service, and for an App of another project', async () => {
    expect((await send('open', { id: 'c', body: 'x'.repeat(1_001) })).status).toBe(413);
    expect((await send('open', { id: 'c', body: '{}' }, { scopes: ['admin'] })).status).toBe(403);
    expect((await send('open', { id: 'c', body: '{}' }, { projectId: 'prj_other' })).status).toBe(404);
    expect((await send('open', { id: '', body: '{}' })).status).toBe(422);
  });
});
