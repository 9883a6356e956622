import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';

const [OLD, NEW] = ['1'.repeat(40), '2'.repeat(40)];
const source = { credentials: { token: 't0ken' }, resource_path: 'octo/docs@main' };
const repo = '/repos/octo/docs';

let github: ProviderServer;
let adapter: AdapterHost;
let routes: Record<string, Reply>;
beforeAll(async () => {
  github = await startProviderServer(({ url }) => routes[url] ?? { status: 404, body: { message: 'Not Found' } });
  adapter = await hostAdapter((http) => createGithubAdapter({ ...http, apiUrl: github.url }));
});
beforeEach(() => {
  routes = {
    [`${repo}/commits/main?per_page=1`]: { body: { sha: NEW } },
    [repo]: { body: { private: false } },
  };
  github.seen.length = 0;
});
afterAll(async () => {
  await adapter.close();
  await github.close();
});

const blob = (path: string, sha = `sha-${path}`) => ({ path, sha, type: 'blob', mode: '100644' });
const tree = (path: string) => ({ path, sha: `tree-${path}`, type: 'tree', mode: '040000' });
const list = (cursor: string | null, more: object = {}): Promise<JsonObject> =>
  adapter.call('sources/list-changes', { ...source, cursor, ...more });
const answer = (path: string, body: unknown): void => {
  routes[repo + path] = { body };
};

describe('a listing', () => {
  it('walks a tree that GitHub truncated, folder by folder, and finds every file once', async () => {
    answer(`/git/trees/${NEW}?recursive=1`, { truncated: true, tree: [blob('a.md')] });
    answer(`/git/trees/${NEW}`, { truncated: false, tree: [blob('a.md'), tree('x'), tree('y')] });
    answer('/git/trees/tree-x?recursive=1', {
      truncated: false,
      tree: [blob('1.md'), tree('deep'), blob('deep/2.md')],
    });
    answer('/git/trees/tree-y?recursive=1', { truncated: true, tree: [] });
    answer('/git/trees/tree-y', { truncated: false, tree: [blob('3.md'), tree('z')] });
    answer('/git/trees/tree-z?recursive=1', { truncated: false, tree: [blob('4.md')] });
    const { changes, full, cursor } = await list(null);
    expect([full, cursor]).toEqual([true, NEW]);
    const paths = (changes as { path: string }[]).map(({ path }) => path).sort();
    expect(paths).toEqual(['a.md', 'x/1.md', 'x/deep/2.md', 'y/3.md', 'y/z/4.md']);
  });

  it('is an error, never a shorter listing, when a part of the tree cannot be read', async () => {
    answer(`/git/trees/${NEW}?recursive=1`, { truncated: true, tree: [] });
    answer(`/git/trees/${NEW}`, { truncated: false, tree: [tree('x')] });
    routes[`${repo}/git/trees/tree-x?recursive=1`] = { status: 502 };
    expect(await list(null)).toMatchObject({ ok: false, error: 'provider_unavailable' });
    answer(`/git/trees/${NEW}`, { truncated: true, tree: [blob('a.md')] });
    expect(await list(null)).toMatchObject({ ok: false, error: 'too_large' });
  });

  it('starts from the beginning when GitHub lists only some of the changes', async () => {
    const files = Array.from({ length: 300 }, (_, index) => ({ filename: `${index}.md`, sha: 'f', status: 'added' }));
    answer(`/compare/${OLD}...${NEW}?per_page=1`, { status: 'ahead', files });
    answer(`/git/trees/${NEW}?recursive=1`, { truncated: false, tree: [blob('a.md')] });
    expect(await list(OLD)).toMatchObject({ full: true, changes: [{ path: 'a.md' }], cursor: NEW });
  });

  it('asks for a restart when the commit of the cursor is gone or never existed', async () => {
    expect(await list(OLD)).toMatchObject({ ok: false, error: 'cursor_expired' });
    expect(await list('../../x')).toMatchObject({ ok: false, error: 'cursor_expired' });
  });

  it('shows an empty repository as empty, and a missing repository or folder as an error', async () => {
    routes[`${repo}/commits/main?per_page=1`] = { status: 409, body: { message: 'Git Repository is empty.' } };
    expect(await list(null)).toMatchObject({ changes: [], cursor: 'empty', full: true });
    routes = {};
    expect(await list(null)).toMatchObject({ ok: false, error: 'not_found' });
    routes = { [`${repo}/commits/main?per_page=1`]: { body: { sha: NEW } } };
    answer(`/git/trees/${NEW}`, { truncated: false, tree: [] });
    expect(await list(null, { resource_path: 'octo/docs@main:gone' })).toMatchObject({ error: 'not_found' });
  });

  it('distinguishes limits and refused tokens from missing documents', async () => {
    const head = `${repo}/commits/main?per_page=1`;
    routes[head] = { status: 403, headers: { 'retry-after': '9' }, body: { message: 'secondary rate limit' } };
    expect(await list(null)).toMatchObject({ error: 'rate_limited', retry_after: 9 });
    routes[head] = { status: 401, body: { message: 'Bad credentials' } };
    expect(await list(null)).toMatchObject({ error: 'auth_failed' });
  });

  it('reads no path or ref that leads elsewhere', async () => {
    for (const resource_path of [
      'octo/docs:../x',
      'octo/docs@a..b',
      'octo',
      '../../user',
      'octo/..',
      'octo/docs@a?b',
    ]) {
      expect(await list(null, { resource_path })).toMatchObject({ error: 'not_found' });
    }
    expect(github.seen).toHaveLength(0);
  });
});

describe('a file', () => {
  const fetchFile = async (file_path: string): Promise<Response> =>
    fetch(`${adapter.url}/sources/fetch-file`, { method: 'POST', body: JSON.stringify({ ...source, file_path }) });

  it('of more than 1 MB comes from its blob, byte for byte', async () => {
    const bytes = Buffer.alloc(2_000_000, 0xfe);
    answer('/contents/big.bin?ref=main', {
      type: 'file',
      size: bytes.length,
      sha: 'b1',
      encoding: 'none',
      content: '',
    });
    answer('/git/blobs/b1', { encoding: 'base64', content: bytes.toString('base64') });
    const file = await fetchFile('big.bin');
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    expect(file.headers.get('x-fingerprint')).toBe('b1');
  });

  it('may be empty; a folder or a submodule is not a file', async () => {
    answer('/contents/empty?ref=main', { type: 'file', size: 0, sha: 'e', encoding: 'base64', content: '' });
    expect(await (await fetchFile('empty')).text()).toBe('');
    answer('/contents/folder?ref=main', [{ type: 'file', path: 'folder/a' }]);
    answer('/contents/module?ref=main', { type: 'submodule', sha: 'm' });
    for (const path of ['folder', 'module', 'gone']) {
      expect(await (await fetchFile(path)).json()).toMatchObject({ ok: false, error: 'not_found' });
    }
  });

  it('over the limit is too large', async () => {
    answer('/contents/huge?ref=main', { type: 'file', size: 30_000_000, sha: 'h', encoding: 'none', content: '' });
    expect(await (await fetchFile('huge')).json()).toMatchObject({ ok: false, error: 'too_large' });
  });
});
