import { ask } from '#libs/testing';
import { createServer } from 'node:http';
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
let portal: PortalWorld;
let key: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(services.address() as AddressInfo).port}`;
  const away = 'http://127.0.0.1:9';
  const urls = { INGRESS_URL: url, VAULT_URL: away, GATEWAY_URL: away, ROUTER_URL: url, MCP_REGISTRY_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url }, 0);
  key = await portal.key(['events:read']);
});
afterAll(async () => {
  await portal.close();
  services.closeAllConnections();
  await new Promise((resolve) => services.close(resolve));
});

const items = async () => {
  const asked = { method: 'GET', url: `${portal.url}/api/v1/attention`, token: key };
  return (await ask<{ data: Item[] }>(asked)).body.data;
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

it('a service that does not answer is the item of an error', async () => {
  const silent = (await items()).filter(({ code }) => code === 'service_silent');
  expect(silent.map(({ resource }) => resource.id).toSorted()).toEqual(['adapter-gateway', 'credential-vault']);
});
