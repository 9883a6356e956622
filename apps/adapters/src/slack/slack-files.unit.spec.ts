import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createSlackAdapter } from './slack.adapter.js';

const TOKEN = 'xoxb-canary-5521';

let files: ProviderServer;
let adapter: AdapterHost;
beforeAll(async () => {
  files = await startProviderServer();
  adapter = await hostAdapter((http) => createSlackAdapter({ ...http, filesUrl: files.url }));
});
beforeEach(() => {
  files.seen.length = 0;
  files.answer = () => ({ headers: { 'content-type': 'text/csv' }, body: 'x;y' });
});
afterAll(async () => {
  expect(adapter.logs()).not.toContain(TOKEN);
  await adapter.close();
  await files.close();
});

async function fetchFile(path: string): Promise<Response> {
  const body = JSON.stringify({ credentials: { token: TOKEN }, resource_path: '', file_path: path });
  return fetch(`${adapter.url}/sources/fetch-file`, { method: 'POST', body });
}

describe('a file of a message', () => {
  it('is fetched by its fetch_ref, with the token', async () => {
    const answer = await fetchFile(`${files.url}/files-pri/T1-F1/download/a.csv`);
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/csv', 'x;y']);
    expect(files.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/files-pri/T1-F1/download/a.csv', `Bearer ${TOKEN}`],
    ]);
  });

  it.each(['http://evil.example/a.csv', 'F123', 'https://files.slack.com.evil.example/a', 'http://u:p@127.0.0.1/a'])(
    'is never requested at %s, nor is the token sent there',
    async (address) => {
      expect(await (await fetchFile(address)).json()).toMatchObject({ ok: false, error: 'not_found' });
      expect(files.seen).toEqual([]);
    },
  );

  it.each<[string, Reply]>([
    ['permission_denied', { status: 302, headers: { location: 'http://127.0.0.1:1/signin' } }],
    ['permission_denied', { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Sign in' }],
    ['permission_denied', { status: 403 }],
    ['not_found', { status: 404 }],
    ['rate_limited', { status: 429 }],
    ['provider_unavailable', { status: 503 }],
    ['too_large', { headers: { 'content-type': 'text/csv' }, body: 'x'.repeat(21 * 1024 * 1024) }],
  ])('that cannot be fetched is %s', async (error, reply) => {
    files.answer = () => reply;
    expect(await (await fetchFile(`${files.url}/a.csv`)).json()).toMatchObject({ ok: false, error });
  });
});
