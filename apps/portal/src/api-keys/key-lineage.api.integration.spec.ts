import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

let portal: PortalWorld;
let upstream: Upstream;
let router: Server;

beforeAll(async () => {
  upstream = await startUpstream('upstream', {});
  router = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    const heart = setInterval(() => response.write(': here\n\n'), 500);
    response.once('close', () => clearInterval(heart));
  });
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
  const { url } = upstream;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ENGINE_URL: url, MCP_REGISTRY_URL: url };
  portal = await startPortal(
    { ...urls, ROUTER_URL: `http://127.0.0.1:${(router.address() as AddressInfo).port}` },
    400,
  );
});

afterAll(async () => {
  await portal.close();
  await upstream.close();
  router.closeAllConnections();
  await new Promise((resolve) => router.close(resolve));
});

const call = (path: string, key: string, init?: RequestInit) => send(`${portal.url}/api/v1${path}`, key, init);
const make = (key: string, more: object = {}) =>
  call('/api-keys', key, post({ name: 'child', scopes: ['apps:read', 'keys:write'], ...more }));

describe('a key that was created with a key', () => {
  it('expires with its maker unless it is to expire earlier, and is refused when it would outlive it', async () => {
    const end = new Date(Date.now() + 3_600_000);
    const maker = await portal.key(['admin'], end);
    expect((await make(maker)).body.expires_at).toBe(end.toISOString());
    const sooner = new Date(end.getTime() - 1_000).toISOString();
    expect((await make(maker, { expires_at: sooner })).body.expires_at).toBe(sooner);
    const later = await make(maker, { expires_at: new Date(end.getTime() + 1_000).toISOString() });
    expect([later.status, later.body.errors[0].field]).toEqual([422, 'expires_at']);
    expect((await make(await portal.key(['admin']))).body.expires_at).toBeNull();
  });

  it('names its maker, and is revoked with any key above it in the chain', async () => {
    const admin = await portal.key(['admin']);
    const first = (await make(admin)).body;
    const second = (await make(first.key)).body;
    const third = (await make(second.key)).body;
    const beside = (await make(admin)).body;
    expect([second.made_by_key_id, third.made_by_key_id]).toEqual([first.id, second.id]);
    expect((await call(`/api-keys/${first.id}`, admin, { method: 'DELETE' })).status).toBe(204);
    for (const { key } of [first, second, third]) {
      await until('it is refused', async () => (await call('/apps', key)).status === 401);
    }
    expect((await call('/apps', beside.key)).status).toBe(200);
  });
});

describe('keys of one chain', () => {
  const personOf = async (key: string): Promise<string | undefined> => {
    const before = upstream.seen.length;
    await call('/apps', key);
    const [request] = upstream.seen.slice(before);
    const token = request!.headers.authorization!.replace('Bearer ', '');
    return (await new ServiceTokens(testServiceKey, 'adapter-gateway').verify(token)).person;
  };

  it('act for the first of them, so that none decides on what another one asked for', async () => {
    const first = (await make(await portal.key(['admin']))).body;
    const root = first.made_by_key_id;
    const second = (await make(first.key)).body;
    const third = (await make(second.key)).body;
    const beside = (await make(first.key)).body;
    for (const { key } of [first, second, third, beside]) expect(await personOf(key)).toBe(`key:${root}`);
    const other = (await make(await portal.key(['admin']))).body;
    expect(await personOf(other.key)).toBe(`key:${other.made_by_key_id}`);
  });

  it("act for the first of them also from the chain's beginning", async () => {
    const root = await portal.key(['admin']);
    const child = (await make(root)).body;
    expect(await personOf(root)).toBe(`key:${child.made_by_key_id}`);
  });
});

describe('a live stream', () => {
  interface Listener {
    ended: boolean;
  }

  /** Resolves once the stream is open. */
  async function listen(key: string): Promise<Listener> {
    const answer = await fetch(`${portal.url}/api/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    const listener = { ended: false };
    const over = (): void => void (listener.ended = true);
    void answer.text().then(over, over);
    return listener;
  }

  it('ends when its key, or the maker of its key, is revoked; other streams continue', async () => {
    const admin = await portal.key(['admin']);
    const maker = (await make(admin, { scopes: ['events:read', 'keys:write'] })).body;
    const child = (await make(maker.key, { scopes: ['events:read'] })).body;
    const other = await listen(await portal.key(['events:read']));
    const [own, childs] = [await listen(maker.key), await listen(child.key)];
    expect([own.ended, childs.ended]).toEqual([false, false]);
    await call(`/api-keys/${maker.id}`, admin, { method: 'DELETE' });
    await until('both have ended', () => own.ended && childs.ended);
    expect(other.ended).toBe(false);
  });

  it('ends when its key expires', async () => {
    const listener = await listen(await portal.key(['events:read'], new Date(Date.now() + 5_000)));
    await until('it has ended', () => listener.ended);
  });
});
