import { newId } from '#libs/contracts';
import { type Scope, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-under-test.js';

const tokens = new ServiceTokens(testServiceKey, 'router');
const requests = new Map<string, object>();
let world: RouterWorld;
let ingress: Server;
let url: string;

beforeAll(async () => {
  ingress = createServer((request, response) => {
    const found = requests.get(request.url ?? '');
    const body = found ? { request: found } : { code: 'event_not_found', detail: 'none' };
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

  it('that is not stored says why it may not be', async () => {
    const answer = await read(newId('evt'));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'event_body_not_found',
      detail: expect.stringMatching(/by the API/),
    });
  });
});
