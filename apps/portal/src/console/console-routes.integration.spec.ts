import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

const page = '<!doctype html><meta property="csp-nonce" nonce="%CSP_NONCE%"><title>Gatehouse</title>';
const script = 'console.log(1);'.repeat(100);
const pageFiles = [
  { path: '/p/$projectId/tools/new', scripts: ['/assets/new-1.js'], styles: [] },
  {
    path: '/p/$projectId/tools/$toolId',
    scripts: ['/assets/tool-1.js', '/assets/tables-1.js'],
    styles: ['/assets/tool-1.css'],
  },
];

let folder: string;
let portal: PortalWorld;
let behind: Upstream;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'page-files.json'), JSON.stringify(pageFiles));
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'preview.html'), page);
  writeFileSync(join(folder, 'offline-worker.js'), script);
  writeFileSync(join(folder, 'assets/main-3f2a.js'), script);
  writeFileSync(join(folder, 'assets/main-3f2a.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets/main-3f2a.js.gz'), gzipSync(script));
  behind = await startUpstream('service', {});
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0, { CONSOLE_DIR: folder });
});
afterAll(async () => {
  await portal.close();
  await behind.close();
  rmSync(folder, { recursive: true });
});

interface Got {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

/** Sends the request as it is: `fetch` would decompress bodies and normalise paths. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { hostname, port } = new URL(portal.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, method }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.once('error', reject).end();
  });
}
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the console', () => {
  it('has a worker that may fetch from its own origin, without which no page would open, and do nothing else', async () => {
    const { status, headers } = await get('/offline-worker.js', browser);
    expect([status, headers['content-security-policy']]).toEqual([200, "default-src 'none'; connect-src 'self'"]);
  });

  it.each(['/', '/sign-in', '/p/prj_1/events?outcome=failed', '/index.html'])(
    'is the answer to %s, revalidated each time and limited to its own origin',
    async (path) => {
      const { status, headers, body } = await get(path, browser);
      const policy = String(headers['content-security-policy']);
      const nonce = /style-src 'self' 'nonce-([\w+/]{24})';/.exec(policy)?.[1] ?? 'none';
      expect([status, String(body)]).toEqual([200, page.replace('%CSP_NONCE%', nonce)]);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
      expect(policy).not.toMatch(/(default|script|style)-src [^;]*unsafe/);
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['etag']).toBeUndefined();
      expect((await get(path, browser)).headers['content-security-policy']).not.toBe(policy);
    },
  );

  it('preloads the session with the page, where a session cookie is present', async () => {
    expect((await get('/', browser)).headers['link']).toBeUndefined();
    const { headers } = await get('/', { ...browser, cookie: 'gatehouse_session=x' });
    expect(headers['link']).toBe('</api/v1/session>; rel=preload; as=fetch; crossorigin');
  });

  it('has further pages, each of which may run the scripts of this origin', async () => {
    const { status, headers, body } = await get('/preview.html?app=app_1');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const nonce = /nonce="([^"]{24})"/.exec(String(body))?.[1] ?? 'none';
    expect(headers['content-security-policy']).toContain(`script-src 'self'; style-src 'self' 'nonce-${nonce}'`);
  });

  it('names the files of the requested page, scripts after styles', async () => {
    const link = async (path: string) => (await get(path, browser)).headers['link'];
    expect(await link('/p/prj_1/tools/tool_1?tab=versions')).toBe(
      '</assets/tool-1.js>; rel=modulepreload; fetchpriority=low; crossorigin, ' +
        '</assets/tables-1.js>; rel=modulepreload; fetchpriority=low; crossorigin, ' +
        '</assets/tool-1.css>; rel=preload; as=style; crossorigin',
    );
    expect(await link('/p/prj_1/tools/new/')).toBe(
      '</assets/new-1.js>; rel=modulepreload; fetchpriority=low; crossorigin',
    );
    expect(await link('/p/prj_1/tools/tool_1/more')).toBeUndefined();
    expect((await get('/page-files.json')).status).toBe(404);
  });

  it('has files with an unlimited cache lifetime, each in the smallest encoding that its client accepts', async () => {
    const path = '/assets/main-3f2a.js';
    const br = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(br.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      vary: 'accept-encoding',
    });
    expect(String(brotliDecompressSync(br.body))).toBe(script);
    expect((await get(path, { 'accept-encoding': 'br;q=0, gzip' })).headers['content-encoding']).toBe('gzip');
    const plain = await get(path);
    expect([plain.headers['content-encoding'], String(plain.body)]).toEqual([undefined, script]);
    const head = await get(path, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, `${script.length}`, 0]);
    const icon = await get('/icon.svg');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    const second = await get('/icon.svg', { 'if-none-match': String(icon.headers['etag']) });
    expect([second.status, second.body.length]).toEqual([304, 0]);
  });

  it.each([
    '/assets/main-old.js',
    '/api/v1/nothing',
    '/api',
    '/auth/x',
    '/.well-known/nothing',
    '/assets/../../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
  ])('is not the answer to %s, nor is any file outside of it', async (path) => {
    const { status, headers, body } = await get(path, browser);
    expect([status, String(headers['content-type']).split(';')[0]]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(String(body)).code).toBe('not_found');
  });

  it('is not the answer to a request that does not ask for a page', async () => {
    expect((await get('/metrics', { accept: 'application/json' })).status).toBe(404);
    expect((await get('/sign-in', browser, 'POST')).status).toBe(404);
  });
});
