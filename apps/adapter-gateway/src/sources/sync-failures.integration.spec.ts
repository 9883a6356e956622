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
    const adapter = await fakeAdapter(newSlug(), { credentials: [] });
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
    const adapter = await fakeAdapter(newSlug(), { credentials: [] });
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
    const adapter = await fakeAdapter(newSlug(), { credentials: [] });
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
