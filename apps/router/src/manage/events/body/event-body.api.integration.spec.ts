import { newId } from '#libs/contracts';
import { type Scope, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { caller, type RouterWorld, routerWorld } from '../../../testing/router-world.js';

const tokens = new ServiceTokens(testServiceKey, 'router');
const requests = new Map<string, object>();
let world: RouterWorld;
let ingress: Server;
let url: string;

beforeAll(async () => {
  ingress = createServer((request, response) => {
    const found = requests.get(request.url ?? '');
    const kept = {
      received_at: new Date().toISOString(),
      remote_address: '192.0.2.1',
      verified_scheme: 'none',
      bytes: 7,
    };
    const body = found ? { request: found, ...kept } : { code: 'event_not_found', detail: 'none' };
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => ingress.listen(0, '127.0.0.1', resolve));
  world = await routerWorld();
  const port = (ingress.address() as AddressInfo).port;
  const router = await world.start({ INGRESS_URL: `http://127.0.0.1:${port}` });
  url = await router.getUrl();
});
afterAll(async () => {
  await world.close();
  ingress.close();
  ingress.closeAllConnections();
});

/** @returns the event's id */
function received(body: string, encoding: 'utf8' | 'base64', type?: string): string {
  const id = newId('evt');
  const headers = type === undefined ? {} : { 'content-type': type };
  requests.set(`/internal/receipts/${id}`, { method: 'POST', headers, body, body_encoding: encoding });
  return id;
}
async function read(id: string, scopes: Scope[] = ['events:read_body']): Promise<Response> {
  const token = await tokens.mint('router', { ...caller, scopes });
  return fetch(`${url}/api/v1/events/${id}/body`, { headers: { authorization: `Bearer ${token}` } });
}

describe('the request of an event', () => {
  it('shows its origin, its headers without secrets, and its text', async () => {
    const id = newId('evt');
    requests.set(`/internal/receipts/${id}`, {
      method: 'POST',
      url: 'https://gatehouse.example/api/v1/webhooks/the-token?sig=0123456789abcdef0123&kind=a',
      path: '/api/v1/webhooks/the-token',
      query: { sig: '0123456789abcdef0123', kind: 'a' },
      headers: {
        authorization: 'Bearer letmein',
        'x-hub-signature-256': 'sha256=0123456789abcdef0123',
        'x-api-key': 'k',
        'set-thing': ['one', 'two'],
      },
      body: 'grüße',
      body_encoding: 'utf8',
    });
    const token = await tokens.mint('router', { ...caller, scopes: ['events:read_body'] });
    const ask = (scope: string) =>
      fetch(`${url}/api/v1/events/${id}/request`, { headers: { authorization: `Bearer ${scope}` } });
    const shown = (await (await ask(token)).json()) as Record<string, unknown>;
    expect(JSON.stringify(shown)).not.toMatch(/the-token|letmein|89abcdef0123/);
    expect(shown).toMatchObject({
      path: '/api/v1/webhooks/***',
      remote_address: '192.0.2.1',
      bytes: 7,
      body: 'grüße',
      body_is_whole: true,
      headers: [
        { name: 'authorization', value: '*** (14 characters)', masked: true },
        { name: 'set-thing', value: 'one', masked: false },
        { name: 'set-thing', value: 'two', masked: false },
        { name: 'x-api-key', masked: true },
        { name: 'x-hub-signature-256', value: 'sha256=012345678… (27 characters)', masked: true },
      ],
    });
    expect((await ask(await tokens.mint('router', { ...caller, scopes: ['events:read'] }))).status).toBe(403);
  });
});

describe('the body of an event', () => {
  it('is what was received, byte for byte, in its own type', async () => {
    const text = '\ufeff{"id":12345678901234567890, "price":1.10}\n';
    const answer = await read(received(text, 'utf8', 'application/json; charset=utf-8'));
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(text));
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const bytes = await read(received('//4AgQ==', 'base64', 'image/png'));
    expect([...Buffer.from(await bytes.arrayBuffer())]).toEqual([0xff, 0xfe, 0, 0x81]);
  });

  it.each([
    ['text/html', 'text/html'],
    [undefined, 'application/octet-stream'],
    ['no type at all', 'application/octet-stream'],
  ])('is a download that no browser shows or runs (%s)', async (type, shown) => {
    const id = received('<script>alert(1)</script>', 'utf8', type);
    const { headers } = await read(id);
    expect(headers.get('content-type')).toMatch(shown);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${id}"`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('needs a scope of its own, which admin has and events:write has not', async () => {
    const id = received('{}', 'utf8');
    expect((await read(id, ['events:read', 'events:write'])).status).toBe(403);
    expect((await read(id, ['admin'])).status).toBe(200);
  });

  it('that is not stored gives the possible reason', async () => {
    const answer = await read(newId('evt'));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'event_body_not_found',
      detail: expect.stringMatching(/through the API/),
    });
  });
});
