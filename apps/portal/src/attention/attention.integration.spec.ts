import { ask, until } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

interface Item {
  code: string;
  severity: string;
  text: string;
  what_to_do: string;
  resource: { kind: string; id: string };
}

/** What each service answers to questions of the portal. */
const answers: Record<string, object> = {};
const services = createServer(({ url = '' }, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[url] ?? { data: [] }));
});
/** Whether it takes every request and answers none. */
let holdsBack = false;
const busy = createServer((_request, response) => {
  if (!holdsBack) response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [] }));
});
let portal: PortalWorld;
let key: string;

beforeAll(async () => {
  const urlOf = async (server: Server): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const [url, slow] = [await urlOf(services), await urlOf(busy)];
  const away = 'http://127.0.0.1:9';
  const urls = { INGRESS_URL: url, VAULT_URL: away, GATEWAY_URL: away, ROUTER_URL: url, MCP_REGISTRY_URL: slow };
  portal = await startPortal({ ...urls, ENGINE_URL: url }, 0, { SERVICE_SILENT_MS: 6_000 });
  key = await portal.key(['events:read']);
});
afterAll(async () => {
  await portal.close();
  services.closeAllConnections();
  busy.closeAllConnections();
  busy.close();
  await new Promise((resolve) => services.close(resolve));
});

const items = async () => {
  const asked = { method: 'GET', url: `${portal.url}/api/v1/attention`, token: key };
  return (await ask<{ data: Item[] }>(asked)).body.data;
};
const late = async () => {
  const found = (await items()).filter(({ resource }) => resource.id === 'mcp-registry');
  return found.find(({ code }) => code.startsWith('service_'));
};
const depth = (waiting: number, active: number, oldestMs: number) => ({ waiting, active, delayed: 0, oldestMs });
/** Each of the four services that answer has such a queue. */
const queuesAre = (one: object) => {
  answers['/internal/queues'] = { data: [{ queue: 'turns', depth: one }] };
};

describe('a queue', () => {
  it('needs attention while its jobs are due and nobody takes one', async () => {
    queuesAre(depth(42, 0, 61_400));
    const [item] = (await items()).filter(({ resource }) => resource.id === 'engine');
    expect(item).toMatchObject({ code: 'queue_stands', severity: 'error' });
    expect(item?.text).toBe(
      '42 jobs wait in the queue turns, the oldest for 61 s, and engine processes none. Messages of all projects wait.',
    );
  });

  it('needs attention while its consumer has more work than it can do', async () => {
    queuesAre(depth(1, 8, 16_000));
    const [item] = (await items()).filter(({ resource }) => resource.id === 'engine');
    expect(item).toMatchObject({ code: 'queue_late', severity: 'warning' });
    expect(item?.text).toBe(
      '1 job waits in the queue turns, the oldest for 16 s, and engine processes 8. Messages of all projects wait.',
    );
  });

  it.each([
    ['is empty', depth(0, 8, 0)],
    ['is taken soon', depth(400, 8, 14_000)],
  ])('needs none while it %s', async (_what, one) => {
    queuesAre(one);
    expect((await items()).filter(({ resource }) => resource.id === 'engine')).toEqual([]);
  });
});

it('a service whose answers are late is slow, then silent, and neither once it answers', async () => {
  holdsBack = true;
  const first = await late();
  expect(first).toMatchObject({ code: 'service_slow', severity: 'warning', resource: { id: 'mcp-registry' } });
  expect(first?.text).toContain('mcp-registry did not answer within 4 s.');
  await until('it was late for long', async () => (await late())?.code === 'service_silent');
  holdsBack = false;
  expect(await late()).toBeUndefined();
  holdsBack = true;
  expect((await late())?.code).toBe('service_slow');
  holdsBack = false;
});

it('a service that does not answer is the item of an error', async () => {
  const silent = (await items()).filter(({ code }) => code === 'service_silent');
  expect(silent.map(({ resource }) => resource.id).toSorted()).toEqual(['adapter-gateway', 'credential-vault']);
});
