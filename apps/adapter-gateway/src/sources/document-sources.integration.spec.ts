import type { ListChangesResult } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import { type DocumentProvider, documentProvider, newSlug } from '../testing/document-provider.js';
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
  provider = await documentProvider(newSlug());
  source = await DocumentSource.of(world, provider);
});
afterEach(() => provider.close());

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
    // No engine runs here: the tombstone waits until the engine is informed.
    const { rows } = await world.pool.query(
      'SELECT path, state, content FROM gateway.source_document WHERE source_id = $1',
      [source.id],
    );
    expect(rows).toEqual([{ path: 'a', state: 'removed', content: null }]);
  });
});
