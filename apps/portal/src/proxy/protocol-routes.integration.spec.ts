import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

let portal: PortalWorld;
let engine: Upstream;
const call = (path: string, key: string | null, init?: RequestInit) => send(`${portal.url}${path}`, key, init);

beforeAll(async () => {
  engine = await startUpstream('engine', {});
  const dead = 'http://127.0.0.1:9';
  const urls = { INGRESS_URL: dead, VAULT_URL: dead, GATEWAY_URL: dead, ROUTER_URL: dead, MCP_REGISTRY_URL: dead };
  portal = await startPortal({ ...urls, ENGINE_URL: engine.url }, 5_000);
});
afterAll(async () => {
  await portal.close();
  await engine.close();
});

describe.each(['/mcp', '/a2a/agt_1'])('requests of other systems to %s', (path) => {
  it('with a key reach the engine as its caller, in its project', async () => {
    const key = await portal.key(['agents:ask']);
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', cookie: 'session=x' } };
    expect((await call(path, key, init)).body.from).toBe('engine');
    const { url, headers } = engine.seen.at(-1)!;
    expect(url).toBe(path);
    expect(headers).not.toHaveProperty('cookie');
    const token = /^Bearer (.+)$/.exec(String(headers.authorization))?.[1] ?? '';
    const { subject, scopes } = await new ServiceTokens(testServiceKey, 'engine').verify(token);
    expect(subject).toMatch(/^key:/);
    expect(scopes).toEqual(['agents:ask']);
  });

  it('with a key that is not valid are refused here', async () => {
    const before = engine.seen.length;
    expect((await call(path, 'gh_nobody', { method: 'POST', body: '{}' })).status).toBe(401);
    expect(engine.seen).toHaveLength(before);
  });
});

it('callers who wait have connections of their own, and one too many is shown which setting says how many', async () => {
  const held: ServerResponse[] = [];
  const waiting = createServer((request, response) => {
    if (request.url === '/a2a/agt_1') held.push(response);
    else response.end();
  });
  await new Promise<void>((resolve) => waiting.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}`;
  const urls = { INGRESS_URL: url, VAULT_URL: url, GATEWAY_URL: url, ROUTER_URL: url, MCP_REGISTRY_URL: url };
  const limits = { UPSTREAM_CONNECTIONS: 1, TASK_CONNECTIONS: 2, UPSTREAM_QUEUE: 0 };
  const narrow = await startPortal({ ...urls, ENGINE_URL: url }, 5_000, limits);
  const key = await narrow.key(['agents:ask']);
  const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const ask = () => send(`${narrow.url}/a2a/agt_1`, key, init);
  const waits = [ask(), ask()];
  await until('both wait at the engine', () => held.length === 2);
  expect(await ask()).toMatchObject({ status: 503, body: { detail: expect.stringContaining('TASK_CONNECTIONS') } });
  for (const response of held) response.setHeader('content-type', 'application/json').end('{}');
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual([200, 200]);
  await narrow.close();
  waiting.closeAllConnections();
  await new Promise((resolve) => waiting.close(resolve));
});

it('the card of an agent is asked for without a key, and a session counts for nothing there', async () => {
  const path = '/a2a/agt_1/.well-known/agent-card.json';
  expect((await call(path, null, { headers: { cookie: 'session=x' } })).status).toBe(200);
  const { url, headers } = engine.seen.at(-1)!;
  expect(url).toBe(path);
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('cookie');
});
