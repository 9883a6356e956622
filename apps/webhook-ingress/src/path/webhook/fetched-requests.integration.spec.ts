import { scopeOf } from '#libs/contracts';
import type { Scope } from '#libs/service-kit';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;
const open = endpoint('open', { kind: 'adapter', verification: 'adapter', max_body_bytes: 1_000 });

beforeAll(async () => {
  const endpoints = [
    open,
    endpoint('named', { kind: 'adapter', verification: 'adapter', delivery_id_header: 'x-delivery' }),
    endpoint('paused', { kind: 'adapter', state: 'paused' }),
    endpoint('disabled', { kind: 'adapter', state: 'disabled' }),
  ];
  world = await openIngress({ endpoints });
  await world.start();
});
afterAll(() => world.close());

async function send(token: string, event: object, over: { scopes?: Scope[]; projectId?: string } = {}) {
  const of = world.gateway.endpoints.find(({ app_id: id }) => id === endpoint(token).app_id) ?? open;
  return world.internal<{ event_id: string; duplicate: boolean; code: string }>(
    'POST',
    `apps/${of.app_id}/fetched-requests`,
    { as: 'fetched', ...event },
    { ...scopeOf(of), ...over },
  );
}
const receipt = async (id: string) => {
  const sql = 'SELECT body, headers, url, verified_scheme, reason, outcome FROM ingress.receipt WHERE id = $1';
  return (await world.query<{ body: Buffer; headers: string }>(sql, [id]))[0]!;
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

  it('is stored once by an id with U+0000, and has what else Postgres stores in no text', async () => {
    const odd = { id: 'a\0b\ud800', body: 'a\0b', headers: { 'x-odd': '\0\ud800' } };
    const { event_id: id } = (await send('open', odd)).body;
    const stored = await receipt(id);
    expect(String(stored.body)).toBe('a\0b');
    expect(JSON.parse(stored.headers)).toMatchObject({ 'x-odd': '\0\ud800' });
    expect((await send('open', odd)).body).toEqual({ event_id: id, duplicate: true });
    expect((await send('open', { ...odd, id: 'ab' })).body.duplicate).toBe(false);
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
