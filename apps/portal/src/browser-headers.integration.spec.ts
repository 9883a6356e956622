import { connect } from 'node:net';
import { type PortalWorld, startPortal } from './testing/portal-world.js';
import { startUpstream, type Upstream } from './testing/upstream.js';

let portal: PortalWorld;
let behind: Upstream;
let admin: string;

beforeAll(async () => {
  behind = await startUpstream('service', {});
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0);
  admin = await portal.key(['admin']);
});
afterAll(async () => {
  await portal.close();
  await behind.close();
});

const get = (path: string, key: string | null): Promise<Response> =>
  fetch(`${portal.url}${path}`, { headers: key ? { authorization: `Bearer ${key}` } : {} });

describe('the headers for browsers', () => {
  it.each([
    ['the front page', '/', false],
    ['the description', '/api/v1/openapi.json', false],
    ['an answer of the portal', '/api/v1/projects', true],
    ['an answer of a service behind it', '/api/v1/apps', true],
    ['a page of a consent', '/api/v1/oauth/callback/acme?code=secret', false],
    ['a refusal without a key', '/api/v1/apps', false],
    ['a refusal of a route', '/api/v1/nothing', true],
    ['a path that is not there', '/nothing', false],
    ['a probe', '/health/live', false],
    ['the keys of the portal', '/.well-known/jwks.json', false],
  ])('of %s: do not guess, store, frame or run it', async (_what, path, keyed) => {
    const { headers } = await get(path, keyed ? admin : null);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toContain('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/(default|script|style)-src [^;]*unsafe-inline/);
  });

  it('are the same for a URL that does not decode', async () => {
    const { hostname, port } = new URL(portal.url);
    const socket = connect(Number(port), hostname);
    socket.end('GET /%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('nosniff');
    expect(answer).toContain("default-src 'none'");
  });

  it('of a webhook answer keep what the answer sets itself', async () => {
    const { headers } = await get('/api/v1/webhooks/tok_1', null);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});
