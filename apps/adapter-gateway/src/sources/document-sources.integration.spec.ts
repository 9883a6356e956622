import type { ListChangesResult } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import { type DocumentProvider, documentProvider } from '../testing/document-provider.js';
import { DocumentSource } from '../testing/document-source.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { fakeAdapter } from '../testing/fake-adapter.js';

let world: GatewayWorld;
let provider: DocumentProvider;
let source: DocumentSource;

beforeAll(async () => {
  world = await startGateway();
});
afterAll(() => world.close());

beforeEach(async () => {
  const slug = `docs-${Math.random().toString(36).slice(2, 8)}`;
  provider = await documentProvider(slug);
  source = await DocumentSource.of(world, provider);
});
afterEach(() => provider.close());

describe('a source that could not be synced', () => {
  const failure = async () => {
    const { status, body } = await world.call('GET', `sources/${source.id}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { id: source.id } });
    return body.sync_failure;
  };

  it('shows since when, why, and what to do, until a sync succeeds', async () => {
    expect(await failure()).toBeNull();
    provider.onList = () => ({ ok: false, error: 'not_found', message: 'there is no such folder' });
    expect(await source.synced()).toMatchObject({ state: 'failed', error: 'not_found' });
    const first = await failure();
    expect(first).toMatchObject({
      code: 'not_found',
      next_try_at: null,
      what_to_do: expect.stringMatching(/synchronise/),
    });
    expect(first?.error).toContain('there is no such folder');
    const { data } = (await world.internal('GET', 'attention')).body;
    expect(data.find(({ resource }) => resource.id === source.id)).toMatchObject({
      code: 'source_failing',
      text: expect.stringContaining('there is no such folder'),
    });
    await world.call('PATCH', `sources/${source.id}`, { every_seconds: 3_600 });
    await source.synced();
    const scheduled = await until('the next run is due by the schedule', async () => {
      const now = await failure();
      return now?.next_try_at ? now : null;
    });
    expect(scheduled).toMatchObject({ since: first?.since, what_to_do: null });
    provider.onList = () => undefined;
    expect(await source.synced()).toMatchObject({ state: 'succeeded' });
    expect(await failure()).toBeNull();
  });

  it.each([
    [404, null],
    [404, { detail: 'Not Found' }],
    [501, null],
  ])('because its adapter has no documents says so at once: a %s with the body %j', async (status, body) => {
    const adapter = await fakeAdapter(`plain-${Math.random().toString(36).slice(2, 8)}`, { credentials: [] });
    const asked = { list: 0 };
    adapter.routes['sources/list-changes'] = (_call, response) => {
      asked.list += 1;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body === null ? '' : JSON.stringify(body));
      return undefined;
    };
    source = await DocumentSource.of(world, adapter);
    expect(await source.synced()).toMatchObject({ state: 'failed', error: 'no_documents' });
    await adapter.close();
    expect(asked.list).toBe(1);
    const shown = await failure();
    expect(shown).toMatchObject({ code: 'no_documents', next_try_at: null });
    expect(shown?.error).toMatch(
      new RegExp(`/sources/list-changes answered ${status}.*: the adapter has no such source of documents`),
    );
  });

  it('is refused as its adapter says, also by a status', async () => {
    const adapter = await fakeAdapter(`strict-${Math.random().toString(36).slice(2, 8)}`, { credentials: [] });
    adapter.routes['sources/list-changes'] = (_call, response) => {
      const refusal = { ok: false, error: 'permission_denied', message: 'not for this token' };
      response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
      return undefined;
    };
    source = await DocumentSource.of(world, adapter);
    expect(await source.synced()).toMatchObject({ state: 'failed', error: 'permission_denied' });
    expect(await failure()).toMatchObject({ error: 'not for this token', next_try_at: null });
    await adapter.close();
  });

  it('lacks a document that a 404 says is gone, and fails where the adapter can fetch none (501)', async () => {
    const adapter = await fakeAdapter(`listing-${Math.random().toString(36).slice(2, 8)}`, { credentials: [] });
    const changes = [{ path: 'a.md', fingerprint: '1', status: 'added' }];
    adapter.routes['sources/list-changes'] = () => ({ changes, cursor: 'end' });
    let status = 404;
    adapter.routes['sources/fetch-file'] = (_call, response) => void response.writeHead(status).end();
    source = await DocumentSource.of(world, adapter);
    expect(await source.synced()).toMatchObject({
      state: 'succeeded',
      failures: [{ path: 'a.md', error: '/sources/fetch-file answered 404' }],
    });
    expect(adapter.bodiesOf('sources/fetch-file')).toHaveLength(1);
    status = 501;
    expect(await source.synced()).toMatchObject({ state: 'failed', error: 'no_documents' });
    expect(adapter.bodiesOf('sources/fetch-file')).toHaveLength(2);
    await adapter.close();
  });

  it('in part names the first missing document, and the run that names them all', async () => {
    provider.files.set('a.md', 'one').set('b.md', 'two');
    provider.onFetch = (path) => (path === 'a.md' ? { ok: false, error: 'permission_denied' } : undefined);
    const run = await source.synced();
    expect(run).toMatchObject({ state: 'succeeded', added: 1, failed: 1 });
    const shown = await failure();
    expect(shown).toMatchObject({ code: 'documents_failed', error: expect.stringContaining('a.md') });
    expect(shown?.what_to_do).toContain(run.id);
  });

  it('says what its adapter cannot list, however often nothing changes, at most twenty by name', async () => {
    const left_out = Array.from({ length: 30 }, (_, at) => ({ path: `../${at}\0`, error: 'it leads out' }));
    provider.onList = ({ cursor }) => ({
      changes: cursor === null ? [{ path: 'a.md', fingerprint: '1', status: 'added' }] : [],
      cursor: 'end',
      left_out,
    });
    provider.files.set('a.md', 'one');
    const first = await source.synced();
    expect(first).toMatchObject({ state: 'succeeded', added: 1, failed: 30 });
    expect(first.failures).toHaveLength(20);
    expect(first.failures[0]).toEqual({ path: '../0', error: 'it leads out' });
    expect(await source.synced()).toMatchObject({ state: 'succeeded', added: 0, failed: 30 });
    expect(await failure()).toMatchObject({ code: 'documents_failed', error: expect.stringContaining('../0') });
  });

  it('yet shows why it waits and until when, until it continues', async () => {
    let asked = 0;
    provider.onList = () => {
      asked += 1;
      return asked === 1 ? { ok: false, error: 'rate_limited', message: 'slowly', retry_after: 1 } : undefined;
    };
    await world.call('POST', `sources/${source.id}/sync`);
    const waits = await until('it shows that it waits', failure);
    expect(waits).toMatchObject({ code: 'rate_limited', error: 'slowly' });
    expect(Date.parse(waits.next_try_at ?? '')).toBeGreaterThan(Date.parse(waits.since));
    await until('it continued', async () => (await failure()) === null);
  });
});

describe('a sync', () => {
  it('keeps documents with fingerprint and provenance, and fetches only what changed', async () => {
    provider.files.set('a.md', 'one').set('b/c.md', 'two').set('empty', '');
    const first = await source.synced();
    expect(first).toMatchObject({ state: 'succeeded', added: 3, changed: 0, removed: 0, failed: 0 });
    provider.files.set('a.md', 'one more');
    expect(await source.synced()).toMatchObject({ added: 0, changed: 1, removed: 0 });
    expect([...provider.fetched]).toEqual([
      ['a.md', 2],
      ['b/c.md', 1],
      ['empty', 1],
    ]);
    expect(provider.listed).toEqual([null, 'end']);
    const [document] = await source.documents('&prefix=b/');
    expect(document).toMatchObject({
      path: 'b/c.md',
      fingerprint: 'two',
      size: 3,
      content_type: 'text/plain',
      provenance: { resource_path: 'root', run_id: first.id },
    });
    const content = await world.call('GET', `sources/${source.id}/documents/${document?.id}/content`);
    expect([content.body, content.headers.get('content-disposition')]).toEqual(['two', 'attachment']);
    const stranger = { projectId: 'prj_other' };
    const path = `sources/${source.id}/documents/${document?.id}/content`;
    expect((await world.call('GET', path, undefined, stranger)).status).toBe(404);
  });

  it('reads every page, and infers a deletion only from a complete listing', async () => {
    for (let n = 0; n < 250; n += 1) provider.files.set(`f/${n}`, `text ${n}`);
    expect(await source.synced()).toMatchObject({ state: 'succeeded', added: 250, pages: 3, failed: 0 });
    provider.files.delete('f/7');
    provider.full = false;
    expect(await source.synced()).toMatchObject({ state: 'succeeded', removed: 0 });
    expect(await source.current()).toHaveLength(250);
    provider.full = true;
    expect(await source.synced()).toMatchObject({ state: 'succeeded', removed: 1, added: 0 });
    const [tombstone] = await source.documents('&state=removed');
    expect(tombstone).toMatchObject({ path: 'f/7', fingerprint: 'text 7' });
    const read = await world.call('GET', `sources/${source.id}/documents/${tombstone?.id}/content`);
    expect(read.status).toBe(410);
    provider.files.set('f/7', 'back');
    expect(await source.synced()).toMatchObject({ added: 1 });
    expect(await source.current()).toContain('f/7');
  });

  it('removes nothing when a complete listing breaks off, or when its root is missing', async () => {
    for (let n = 0; n < 250; n += 1) provider.files.set(`f/${n}`, 'text');
    await source.synced();
    provider.files = new Map([...provider.files].slice(0, 150));
    provider.onList = ({ cursor }) => (cursor === 'next:100' ? { ok: false, error: 'permission_denied' } : undefined);
    expect(await source.synced()).toMatchObject({ state: 'failed', error: 'permission_denied', removed: 0 });
    provider.onList = () => ({ ok: false, error: 'not_found', message: 'no such bucket' });
    expect(await source.synced()).toMatchObject({
      state: 'failed',
      error: 'not_found',
      error_detail: 'no such bucket',
    });
    expect(await source.current()).toHaveLength(250);
    provider.onList = () => undefined;
    expect(await source.synced()).toMatchObject({ state: 'succeeded', removed: 100 });
  });

  it('applies what an incremental listing says', async () => {
    provider.files.set('a', '1').set('b', '1');
    provider.full = false;
    await source.synced();
    provider.files.set('c', '1');
    provider.onList = ({ cursor }) => {
      expect(cursor).toBe('end');
      const changes = [
        { path: 'a', fingerprint: null, status: 'removed' as const },
        { path: 'c', fingerprint: '1', status: 'added' as const },
        { path: 'never-seen', fingerprint: null, status: 'removed' as const },
      ];
      return { changes, cursor: 'later' };
    };
    expect(await source.synced()).toMatchObject({ added: 1, removed: 1, failed: 0 });
    expect(await source.current()).toEqual(['b', 'c']);
  });

  it('starts from the beginning when its cursor has expired', async () => {
    provider.files.set('a', '1');
    await source.synced();
    provider.files.delete('a');
    provider.files.set('b', '1');
    provider.onList = ({ cursor }) => (cursor === 'end' ? { ok: false, error: 'cursor_expired' } : undefined);
    expect(await source.synced()).toMatchObject({ state: 'succeeded', added: 1, removed: 1, listing: 2 });
  });

  it('skips a document that cannot be fetched, and tries it again in the next run', async () => {
    provider.files.set('good', '1').set('bad', '1').set('big', 'x'.repeat(100_000)).set('gone', '1');
    provider.onFetch = (path) => {
      if (path === 'bad') return { ok: false, error: 'provider_unavailable' };
      return path === 'gone' ? { ok: false, error: 'not_found' } : undefined;
    };
    const run = await source.synced();
    expect(run).toMatchObject({ state: 'succeeded', added: 1, failed: 3 });
    expect(run.failures.map(({ path }) => path).sort()).toEqual(['bad', 'big', 'gone']);
    provider.onFetch = () => undefined;
    // An incremental listing does not name it again: the cursor is past it.
    provider.onList = () => ({ changes: [], cursor: 'end' });
    expect(await source.synced()).toMatchObject({ added: 1, failed: 0 });
    expect(await source.current()).toEqual(['bad', 'good']);
  });

  it('accepts base64 in JSON, and JSON documents as they are', async () => {
    provider.files.set('x.json', '{"content_base64":1}').set('y', 'plain');
    provider.onFetch = (path) =>
      path === 'y'
        ? { content_base64: Buffer.from('encoded').toString('base64'), content_type: 'text/x', size: 7 }
        : { bytes: Buffer.from('{"content_base64":1}'), content_type: 'application/json' };
    await source.synced();
    const contents = (await source.documents()).map(async ({ id }) => {
      const { body } = await world.call('GET', `sources/${source.id}/documents/${id}/content`);
      return body;
    });
    expect(await Promise.all(contents)).toEqual([{ content_base64: 1 }, 'encoded']);
  });

  it('keeps nothing of an answer that is not a document, and says so on the run and on the page of the adapter', async () => {
    const adapter = await fakeAdapter('files');
    source = await DocumentSource.of(world, adapter);
    const change = { path: 'a.txt', fingerprint: '1', status: 'added' };
    adapter.routes['sources/list-changes'] = () => ({ changes: [change], cursor: 'c' });
    adapter.routes['sources/fetch-file'] = () => ({ text: 'hello' });
    const run = await source.synced();
    expect(run).toMatchObject({ added: 0, failed: 1 });
    expect(run.failures).toEqual([
      { path: 'a.txt', error: expect.stringContaining('The fields of this one are: text.') },
    ]);
    expect(adapter.bodiesOf('sources/fetch-file')).toHaveLength(1);
    expect(await source.documents()).toEqual([]);
    await until('the page shows it', async () =>
      (await world.call('GET', `adapters/${source.adapterId}`)).body.violation?.startsWith(
        '/sources/fetch-file: application/json has',
      ),
    );
    adapter.routes['sources/fetch-file'] = () => ({
      data: Buffer.from('hello').toString('base64'),
      encoding: 'base64',
    });
    expect(await source.synced()).toMatchObject({ added: 1, failed: 0 });
    await adapter.close();
  });

  it.each<[string, ListChangesResult]>([
    ['a path out of the root', { changes: [{ path: '../a', fingerprint: '1', status: 'added' }], cursor: 'c' }],
    ['has_more for ever', { changes: [], cursor: 'same', has_more: true }],
    ['a cursor over 4 KB', { changes: [], cursor: 'x'.repeat(4_097) }],
  ])('ends as failed upon %s', async (_what, answer) => {
    provider.onList = () => answer;
    expect(await source.synced()).toMatchObject({ state: 'failed', added: 0 });
  });
});

describe('a sync is started', () => {
  it('by its schedule', async () => {
    provider.files.set('a', '1');
    await world.call('PATCH', `sources/${source.id}`, { every_seconds: 30 });
    await until('a scheduled run has ended', async () => (await source.runs())[0]?.finished_at);
    expect((await source.runs())[0]).toMatchObject({ cause: 'schedule', added: 1 });
    const { body } = await world.call('GET', `sources/${source.id}`);
    expect(Date.parse(body.next_sync_at ?? '')).toBeGreaterThan(Date.now() + 20_000);
  });

  it('once more after the current run, when it is requested during that', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    provider.files.set('a', '1');
    provider.onFetch = async () => {
      await held;
      return undefined;
    };
    const first = await world.call('POST', `sources/${source.id}/sync`);
    await until('it is listing', () => provider.listed.length > 0);
    const second = await world.call('POST', `sources/${source.id}/sync`);
    expect(second.body.id).toBe(first.body.id);
    provider.files.set('b', '1');
    release();
    await until('another run has ended', async () => {
      const [newest, ...older] = await source.runs();
      return older.length > 0 && newest?.finished_at;
    });
    expect(await source.current()).toEqual(['a', 'b']);
  });

  it('no more, once the source is deleted', async () => {
    provider.files.set('a', '1');
    await source.synced();
    expect((await world.call('DELETE', `sources/${source.id}`)).status).toBe(204);
    expect((await world.call('GET', `sources/${source.id}`)).status).toBe(404);
    // No engine runs here: the tombstone waits until the engine is told.
    const { rows } = await world.pool.query(
      'SELECT path, state, content FROM gateway.source_document WHERE source_id = $1',
      [source.id],
    );
    expect(rows).toEqual([{ path: 'a', state: 'removed', content: null }]);
  });
});
