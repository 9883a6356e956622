import { newKey } from '../api-keys/key-text.js';
import { ApiKeyRepository } from '../api-keys/api-key.repository.js';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';
import { networkOf } from '#libs/service-kit';
import type { FailedKeysSettings } from '../settings.js';

let behind: Upstream;
const portals: PortalWorld[] = [];

beforeAll(async () => {
  behind = await startUpstream('service', {});
});
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});
afterAll(() => behind.close());

/** Behind a proxy on this machine that reports its clients' addresses. */
async function portalWith(change: Partial<FailedKeysSettings>) {
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  const all = { ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url };
  const limits = { FAILED_KEYS_WINDOW_MS: 3_600_000, ...change };
  const portal = await startPortal(all, 0, { TRUSTED_PROXIES: ['loopback'], ...limits });
  portals.push(portal);
  const lookups: string[] = [];
  const keys = portal.app.get(ApiKeyRepository);
  const find = keys.findByHash.bind(keys);
  keys.findByHash = (hash) => {
    lookups.push(hash.toString('hex'));
    return find(hash);
  };
  const call = async (key: string, from: string) => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': from };
    const answer = await fetch(`${portal.url}/api/v1/projects`, { headers });
    await answer.body?.cancel();
    return { status: answer.status, retryAfter: Number(answer.headers.get('retry-after')) };
  };
  return { portal, lookups, call };
}

describe('invalid API keys', () => {
  it('block their address for a while, and no lookup is made meanwhile', async () => {
    const { lookups, call } = await portalWith({ FAILED_KEYS_PER_ADDRESS: 3 });
    for (let tries = 0; tries < 3; tries += 1) expect((await call(newKey(), '203.0.113.7')).status).toBe(401);
    const asked = lookups.length;
    const { status, retryAfter } = await call(newKey(), '203.0.113.7');
    expect(status).toBe(429);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(1_200);
    expect((await call('gh_no-key', '203.0.113.7')).status).toBe(429);
    expect(lookups.length).toBe(asked);
    expect((await call(newKey(), '203.0.113.8')).status).toBe(401);
  });

  it('with one prefix are slowed down, wherever they come from', async () => {
    const { call } = await portalWith({ FAILED_KEYS_PER_PREFIX: 2 });
    const guess = () => `gh_ABCDEFGH${newKey().slice(11)}`;
    expect((await call(guess(), '203.0.113.1')).status).toBe(401);
    expect((await call(guess(), '203.0.113.2')).status).toBe(401);
    expect((await call(guess(), '203.0.113.3')).status).toBe(429);
    expect((await call(newKey(), '203.0.113.3')).status).toBe(401);
  });

  it('do not hold up a key from the same address that was valid before', async () => {
    const { portal, call } = await portalWith({ FAILED_KEYS_PER_ADDRESS: 2, FAILED_KEYS_PER_PREFIX: 2 });
    const [known, fresh] = [await portal.key(['admin']), await portal.key(['admin'])];
    expect((await call(known, '203.0.113.7')).status).toBe(200);
    for (let tries = 0; tries < 5; tries += 1) await call(`${known.slice(0, 11)}${newKey().slice(11)}`, '203.0.113.7');
    expect((await call(known, '203.0.113.7')).status).toBe(200);
    // The key is new to this replica, so it is delayed like invalid ones; other addresses are not.
    expect((await call(fresh, '203.0.113.7')).status).toBe(429);
    expect((await call(fresh, '203.0.113.8')).status).toBe(200);
    expect((await call(fresh, '203.0.113.7')).status).toBe(200);
  });

  it('may be tried once more as time passes', async () => {
    const { call } = await portalWith({ FAILED_KEYS_PER_ADDRESS: 1, FAILED_KEYS_WINDOW_MS: 100 });
    const statuses = new Set<number>();
    while (statuses.size < 2) statuses.add((await call(newKey(), '203.0.113.7')).status);
    let status = 429;
    while (status === 429) ({ status } = await call(newKey(), '203.0.113.7'));
    expect(status).toBe(401);
  });

  it('do not include valid ones: many valid requests at once never slow each other', async () => {
    const { portal, call } = await portalWith({ FAILED_KEYS_PER_ADDRESS: 2, FAILED_KEYS_PER_PREFIX: 2 });
    const key = await portal.key(['admin']);
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(key, '203.0.113.7')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
