import { portalHopHeader } from '#libs/contracts';
import { ServiceTokens } from '#libs/service-kit';
import { slowClient, testServiceKey, until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

let portal: PortalWorld;
let ingress: Upstream;
let vault: Upstream;
let admin: string;
const call = (path: string, key: string | null, init?: RequestInit) => send(`${portal.url}${path}`, key, init);

beforeAll(async () => {
  [ingress, vault] = await Promise.all([startUpstream('ingress', {}), startUpstream('vault', {})]);
  // Nobody listens there: a port that was just left would be another server's by then.
  const dead = 'http://127.0.0.1:9';
  const urls = { INGRESS_URL: ingress.url, VAULT_URL: vault.url, GATEWAY_URL: dead, ROUTER_URL: dead };
  portal = await startPortal({ ...urls, ENGINE_URL: dead, MCP_REGISTRY_URL: dead }, 5_000);
  admin = await portal.key(['admin']);
});

afterAll(async () => {
  await portal.close();
  await Promise.all([ingress.close(), vault.close()]);
});

describe('the proxy', () => {
  it.each([
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '',
    'nonsense',
    ';;',
    'a b/c; x',
  ])('forwards a webhook body of type "%s" byte by byte, without a key', async (type) => {
    const body = Buffer.concat([Buffer.from('{"a": 1 }\r\n\u0000ü'), randomBytes(3_000_000)]);
    const headers = {
      ...(type ? { 'content-type': type } : {}),
      authorization: 'Basic eDp5',
      cookie: 'a=b',
      'x-signature-256': 'sha256=00',
    };
    const { status, body: answer } = await call('/api/v1/webhooks/tok_1?a=%20b', null, {
      method: 'POST',
      body,
      headers,
    });
    expect({ status, from: answer.from }).toEqual({ status: 200, from: 'ingress' });
    const seen = ingress.seen.at(-1)!;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/v1/webhooks/tok_1?a=%20b' });
    expect(seen.headers).toMatchObject({ ...headers, 'x-forwarded-for': '127.0.0.1' });
    expect(seen.body.equals(body)).toBe(true);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])(
    'forwards %s for handshakes and for the ingress to refuse',
    async (method) => {
      expect((await call('/api/v1/webhooks/tok_1?challenge=c', null, { method })).status).toBe(200);
      expect(ingress.seen.at(-1)).toMatchObject({ method, url: '/api/v1/webhooks/tok_1?challenge=c' });
    },
  );

  const forged = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.8', forwarded: 'for=203.0.113.9' };

  it.each(['/api/v1/webhooks/tok_1', '/api/v1/credentials'])(
    'drops what a client says about its own address, and sends the real one: %s',
    async (path) => {
      const key = path.includes('webhooks') ? null : admin;
      await call(path, key, { method: 'POST', body: '{}', headers: { ...forged, [portalHopHeader]: 'forged' } });
      const { headers } = (path.includes('webhooks') ? ingress : vault).seen.at(-1)!;
      expect(headers['x-forwarded-for']).toBe('127.0.0.1');
      expect(headers).not.toHaveProperty('x-real-ip');
      expect(headers).not.toHaveProperty('forwarded');
      expect(headers[portalHopHeader]).not.toBe(key === null ? 'forged' : undefined);
    },
  );

  it('shows the ingress that a webhook comes from the portal', async () => {
    await call('/api/v1/webhooks/tok_1', null, { method: 'POST', body: '{}' });
    const token = String(ingress.seen.at(-1)!.headers[portalHopHeader]);
    const { subject, scopes } = await new ServiceTokens(testServiceKey, 'webhook-ingress').verify(token);
    expect({ subject, scopes }).toEqual({ subject: 'service:portal', scopes: [] });
  });

  it('trusts a configured proxy, as far as that vouches for the address', async () => {
    const urls = { INGRESS_URL: ingress.url, VAULT_URL: vault.url, GATEWAY_URL: vault.url, ROUTER_URL: vault.url };
    const all = { ...urls, ENGINE_URL: vault.url, MCP_REGISTRY_URL: vault.url };
    const behind = await startPortal(all, 0, { TRUSTED_PROXIES: ['127.0.0.1'] });
    // The first address is the client's claim, the second is what the proxy saw.
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
    await send(`${behind.url}/api/v1/webhooks/tok_1`, null, { method: 'POST', body: 'x', headers });
    expect(ingress.seen.at(-1)!.headers['x-forwarded-for']).toBe('203.0.113.7');
    await behind.close();
  });

  it.each([
    '/api/v1/webhooks/../../../metrics',
    '/api/v1/webhooks/..%2f..%2f..%2fmetrics',
    '/api/v1/webhooks/%2e%2e/%2e%2e/%2e%2e/metrics',
  ])('reaches nothing outside its part of a service by %s', async (path) => {
    const asked = ingress.seen.length;
    const { hostname, port } = new URL(portal.url);
    const socket = connect(Number(port), hostname);
    socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
    expect(ingress.seen.length).toBe(asked);
  });

  it.each(['/api/v1/webhooks/tok_1', '/api/v1/credentials'])(
    'forwards a compressed body as it came, for the service to read or to refuse: %s',
    async (path) => {
      const body = gzipSync('{"name":"n"}');
      const headers = { 'content-type': 'application/json', 'content-encoding': 'GZIP' };
      const key = path.includes('webhooks') ? null : admin;
      expect((await call(path, key, { method: 'POST', body, headers })).status).toBe(200);
      const seen = (path.includes('webhooks') ? ingress : vault).seen.at(-1)!;
      expect(seen.headers).toMatchObject({ ...headers, 'content-length': String(body.length) });
      expect(seen.body.equals(body)).toBe(true);
    },
  );

  it.each([
    ['ends with its answer', '1.0', '', true],
    ['stays open where its client asks for that', '1.0', 'connection: keep-alive\r\n', false],
    ['stays open', '1.1', '', false],
  ])('the connection of a client %s: HTTP/%s %s', async (_what, version, more, ends) => {
    const lines = `host: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n${more}`;
    const client = await slowClient(portal.url, `POST /api/v1/webhooks/tok_1 HTTP/${version}\r\n${lines}\r\n{}`);
    await until('it is answered', () => client.received.includes('"from"'));
    expect(client.received).toMatch(ends ? /\r\nconnection: close\r\n/i : /\r\nconnection: keep-alive\r\n/i);
    if (ends) await client.closed;
    client.socket.destroy();
  });

  it('forwards a request whose address has the host, as clients of proxies send it', async () => {
    const whole = `POST http://a.example/api/v1/webhooks/tok_1?a=b HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`;
    const client = await slowClient(portal.url, whole);
    await until('it is answered', () => client.received.includes('HTTP/1.1 200'));
    expect(ingress.seen.at(-1)).toMatchObject({ url: '/api/v1/webhooks/tok_1?a=b', body: Buffer.from('{}') });
    client.socket.destroy();
  });

  it('forwards bodies of the management API', async () => {
    await call('/api/v1/credentials/cred_1', admin, { ...post({ name: 'n' }), method: 'PATCH' });
    expect(vault.seen.at(-1)).toMatchObject({
      method: 'PATCH',
      url: '/api/v1/credentials/cred_1',
      body: Buffer.from('{"name":"n"}'),
    });
  });

  it.each(['nonsense', 'text/xml', 'application/json; charset="'])(
    'forwards a body of type %s, for the service to refuse',
    async (type) => {
      const init = { method: 'POST', body: '{}', headers: { 'content-type': type } };
      expect((await call('/api/v1/credentials', admin, init)).status).toBe(200);
      expect(vault.seen.at(-1)).toMatchObject({ headers: { 'content-type': type }, body: Buffer.from('{}') });
    },
  );

  it.each(['nonsense', 'text/xml'])('refuses a body of type %s itself', async (type) => {
    const init = { method: 'POST', body: '{}', headers: { 'content-type': type } };
    const { status, type: answered, body } = await call('/api/v1/api-keys', admin, init);
    expect([status, answered, body.code]).toEqual([415, 'application/problem+json', 'unsupported_media_type']);
    expect(body.detail).toContain('application/json');
  });

  it('lets browsers return from a provider without a key, with their cookies', async () => {
    const headers = { cookie: 'gatehouse-oauth-1=x' };
    expect((await call('/api/v1/oauth/callback/acme?state=s&code=c', null, { headers })).status).toBe(200);
    expect(vault.seen.at(-1)).toMatchObject({ url: '/api/v1/oauth/callback/acme?state=s&code=c', headers });
    await call('/api/v1/oauth/callback/acme?state=s', admin, { headers });
    expect(vault.seen.at(-1)!.headers).toMatchObject(headers);
    expect(vault.seen.at(-1)!.headers.authorization).not.toContain(admin);
    expect((await call('/api/v1/oauth/callback/acme?state=s', 'gh_no_key')).status).toBe(401);
  });

  it.each([
    ['br', '/api/v1/credentials?large', 'GET', 'br'],
    ['gzip, deflate', '/api/v1/credentials?large', 'GET', 'gzip'],
    ['identity', '/api/v1/credentials?large', 'GET', null],
    ['br', '/api/v1/credentials', 'GET', null],
    ['br', '/api/v1/credentials?large', 'POST', null],
  ])('for a client that accepts %s, answers %s by %s in the encoding %s', async (accepted, path, method, encoding) => {
    const answer = await fetch(`${portal.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${admin}`, 'accept-encoding': accepted },
    });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding]);
    const { from, data } = (await answer.json()) as { from?: string; data?: object[] };
    expect(from ?? data?.length).toBe(path.endsWith('large') ? 200 : 'vault');
  });

  it('answers 503 for a service that does not answer', async () => {
    const { status, type, body } = await call('/api/v1/runs', admin);
    expect({ status, type, code: body.code }).toEqual({
      status: 503,
      type: 'application/problem+json',
      code: 'service_unavailable',
    });
  });
});
