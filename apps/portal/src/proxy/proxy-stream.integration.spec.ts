import { until } from '#libs/testing';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

let portal: PortalWorld;
let stream: ServerResponse | null = null;
let lastEventId: string | undefined;
const router = createServer((request, response) => {
  lastEventId = request.headers['last-event-id'] as string | undefined;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', connection: 'close' });
  response.write('retry: 2000\n\n');
  stream = response;
});

beforeAll(async () => {
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(router.address() as AddressInfo).port}`;
  const urls = {
    INGRESS_URL: url,
    VAULT_URL: url,
    GATEWAY_URL: url,
    ROUTER_URL: url,
    ENGINE_URL: url,
    MCP_REGISTRY_URL: url,
  };
  portal = await startPortal(urls, 5_000);
});

afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => {
    router.close(resolve);
    router.closeAllConnections();
  });
});

describe('a live stream through the proxy', () => {
  it('arrives as it is sent, and its end reaches the service', async () => {
    const key = await portal.key(['events:read']);
    const leaving = new AbortController();
    const answer = await fetch(`${portal.url}/api/v1/events/stream`, {
      headers: { authorization: `Bearer ${key}`, 'last-event-id': '1-0123456789ab' },
      signal: leaving.signal,
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(lastEventId).toBe('1-0123456789ab');
    const reader = answer.body!.getReader();
    let text = '';
    for (const part of ['id: 1\ndata: {}\n\n', ': still here\n\n']) {
      stream!.write(part);
      while (!text.includes(part)) text += Buffer.from((await reader.read()).value!).toString();
    }
    leaving.abort();
    await until('the service sees that the client left', () => stream!.destroyed);
  });

  it('needs a key', async () => {
    expect((await fetch(`${portal.url}/api/v1/events/stream`)).status).toBe(401);
  });
});
