import { portalHopHeader } from '#libs/contracts';
import { ServiceTokens } from '#libs/service-kit';
import { slowClient, testServiceKey, until } from '#libs/testing';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

interface Seen {
  url: string;
  method: string;
  headers: IncomingMessage['headers'];
  body: string;
  socket: Socket;
}

let portal: PortalWorld;
let ingress: Server;
const seen: Seen[] = [];
let answer = (_request: Seen, response: ServerResponse): void => answerOk(response);

function answerOk(response: ServerResponse, text = '{"id":"evt_1"}'): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text);
}

beforeAll(async () => {
  ingress = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', method = '', headers, socket } = request;
      const one = { url, method, headers, body: Buffer.concat(chunks).toString('latin1'), socket };
      seen.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => ingress.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(ingress.address() as AddressInfo).port}`;
  const all = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url, ENGINE_URL: url };
  portal = await startPortal({ ...all, MCP_REGISTRY_URL: url }, 0, { WEBHOOK_CONNECTIONS: 2 });
});
afterAll(async () => {
  await portal.close();
  ingress.closeAllConnections();
  await new Promise((resolve) => ingress.close(resolve));
});
beforeEach(() => {
  seen.length = 0;
  answer = (_request, response) => answerOk(response);
});

const webhook = (body: string, more = '', path = '/api/v1/webhooks/tok_1?a=b'): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Own: 1\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const answers = (received: string): number => received.split('HTTP/1.1 200').length - 1;

describe('the front door', () => {
  it('hands a sender on with its address and proof of the portal, one connection for all of its requests', async () => {
    const client = await slowClient(portal.url, webhook('{"n":1}'));
    await until('the first is answered', () => answers(client.received) === 1);
    client.socket.write(webhook('{"n":2}'));
    await until('the second is answered', () => answers(client.received) === 2);
    const [first, second] = seen as [Seen, Seen];
    expect(seen.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2}']);
    expect(first.socket).toBe(second.socket);
    for (const { headers, url } of seen) {
      expect(url).toBe('/api/v1/webhooks/tok_1?a=b');
      expect(headers).toMatchObject({ 'x-own': '1', 'x-forwarded-for': '127.0.0.1' });
      const tokens = new ServiceTokens(testServiceKey, 'webhook-ingress');
      expect((await tokens.verify(String(headers[portalHopHeader]))).subject).toBe('service:portal');
    }
    client.socket.destroy();
  });

  it('keeps requests apart that come in one packet or in pieces, and answers in their order', async () => {
    answer = ({ body }, response) => answerOk(response, body);
    const all = ['{"n":1}', '{"n":2}', '{"n":3}'].map((body) => webhook(body)).join('');
    const client = await slowClient(portal.url, all.slice(0, -3));
    await until('two are answered', () => answers(client.received) === 2);
    client.socket.write(all.slice(-3));
    await until('all are answered', () => answers(client.received) === 3);
    expect([...client.received.matchAll(/\{"n":\d\}/g)].map(String)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    client.socket.destroy();
  });

  it.each([
    ['names addresses', 'X-Forwarded-For: 203.0.113.7\r\n'],
    ['claims to come from the portal', `${portalHopHeader}: forged\r\n`],
  ])('does not hand on a request that %s: the portal replaces that', async (_what, header) => {
    const client = await slowClient(portal.url, webhook('{}', header));
    await until('it is answered', () => client.received.includes('200'));
    const [{ headers }] = seen as [Seen];
    expect(headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(headers[portalHopHeader]).not.toContain('forged');
    client.socket.destroy();
  });

  it.each([
    ['two lengths', webhook('{}', 'Content-Length: 2\r\n'), 400],
    ['a length and chunks', webhook('0\r\n\r\n', 'Transfer-Encoding: chunked\r\n'), 400],
    ['a folded header', webhook('{}', 'X-A: 1\r\n 2\r\n'), 400],
    ['a bare line feed', webhook('{}', 'X-A: 1\nX-B: 2\r\n'), 400],
  ])('leaves a head that may be read in two ways to the server of the portal: %s', async (_what, text, status) => {
    const client = await slowClient(portal.url, text);
    await until('it is answered', () => /HTTP\/1.1 \d/.test(client.received));
    expect(Number(/HTTP\/1.1 (\d+)/.exec(client.received)?.[1])).toBe(status);
    for (const { body } of seen) expect(body).toBe('{}');
    client.socket.destroy();
  });

  it('serves other requests of the same connection, which then stays with the portal', async () => {
    const client = await slowClient(portal.url, webhook('{"n":1}'));
    await until('it is answered', () => answers(client.received) === 1);
    client.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('so is the other', () => answers(client.received) === 2);
    expect(seen).toHaveLength(1);
    client.socket.write(webhook('{"n":2}'));
    await until('and one more webhook', () => answers(client.received) === 3);
    expect(seen[1]).toMatchObject({ body: '{"n":2}', headers: { 'x-forwarded-for': '127.0.0.1' } });
    client.socket.destroy();
  });

  it('forwards further senders as before while as many as may be are handed on', async () => {
    const waiting: ServerResponse[] = [];
    answer = ({ body }, response) => (body.includes('held') ? void waiting.push(response) : answerOk(response));
    const held = await Promise.all([1, 2].map(() => slowClient(portal.url, webhook('{"held":1}'))));
    await until('both are at the ingress', () => waiting.length === 2);
    const quick = await slowClient(portal.url, webhook('{"n":1}'));
    await until('the other is answered', () => answers(quick.received) === 1);
    for (const response of waiting) answerOk(response);
    for (const client of held) await until('so are they', () => answers(client.received) === 1);
    for (const { socket } of [...held, quick]) socket.destroy();
  });

  it('holds no connection to the ingress for a body that has not come, and hands it on once it has', async () => {
    let connections = 0;
    const count = (): number => (connections += 1);
    ingress.on('connection', count);
    const body = '{"late":1}';
    const late = await Promise.all([1, 2, 3].map(() => slowClient(portal.url, webhook(body).slice(0, -4))));
    const quick = await slowClient(portal.url, webhook('{"n":1}'));
    await until('the other is answered', () => answers(quick.received) === 1);
    expect(connections).toBe(1);
    late[0]?.socket.write(body.slice(-4));
    await until('so is the first', () => answers(late[0]?.received ?? '') === 1);
    expect(seen.map((one) => one.body)).toEqual(['{"n":1}', body]);
    for (const { socket } of [...late, quick]) socket.destroy();
    ingress.off('connection', count);
  });

  it('leaves a body that is slow or long to the server of the portal, which reads it whole', async () => {
    const long = `{"long":"${'x'.repeat(100_000)}"}`;
    const [beganMs, body] = [Date.now(), '{"slow":1}'];
    const slow = await slowClient(portal.url, webhook(body).slice(0, -4));
    const whole = await slowClient(portal.url, webhook(long));
    await until('the long one is answered', () => answers(whole.received) === 1);
    await until('it has waited for long enough', () => Date.now() - beganMs > 1_200);
    slow.socket.write(body.slice(-4));
    await until('the slow one is answered', () => answers(slow.received) === 1);
    // Of a long body the ingress is asked first whether it has room.
    expect(seen.flatMap((one) => one.body || [])).toEqual([long, body]);
    for (const { socket } of [slow, whole]) socket.destroy();
  });

  it('serves a client whose head comes in pieces', async () => {
    const all = webhook('{"n":1}');
    const client = await slowClient(portal.url, '');
    for (const byte of all) await new Promise((resolve) => client.socket.write(byte, resolve));
    await until('it is answered', () => answers(client.received) === 1);
    expect(seen).toMatchObject([{ body: '{"n":1}', headers: { 'x-forwarded-for': '127.0.0.1' } }]);
    client.socket.destroy();
  });

  it('resets a connection whose answer is cut off, so that it is not taken for a whole one', async () => {
    answer = ({ socket }) => void socket.destroy();
    const client = await slowClient(portal.url, webhook('{}'));
    const failed = new Promise<Error>((resolve) => client.socket.once('error', resolve));
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
  });

  it('says so while the ingress is down', async () => {
    const dead = await startPortal({ ...deadUrls }, 0);
    const unlucky = await slowClient(dead.url, webhook('{}'));
    await until('it is answered', () => unlucky.received.includes('HTTP/1.1 503'));
    expect(unlucky.received).toContain('service_unavailable');
    unlucky.socket.destroy();
    await dead.close();
  });
});

const nowhere = 'http://127.0.0.1:9';
const deadUrls = {
  INGRESS_URL: nowhere,
  GATEWAY_URL: nowhere,
  VAULT_URL: nowhere,
  ROUTER_URL: nowhere,
  ENGINE_URL: nowhere,
  MCP_REGISTRY_URL: nowhere,
};
