import type { FetchFileResult, PlaceAccess } from '#libs/adapter-sdk';
import { type DocumentProvider, documentProvider, newSlug } from '../testing/document-provider.js';
import { DocumentSource } from '../testing/document-source.js';
import { allOffered, FakeKnowledge } from '../testing/fake-knowledge.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';

describe("a change of a source's document", () => {
  let world: GatewayWorld;
  let engine: FakeKnowledge;
  let provider: DocumentProvider;
  let source: DocumentSource;

  beforeAll(async () => {
    engine = await FakeKnowledge.start();
    world = await startGateway({ ENGINE_URL: engine.url, SYNC_SWEEP_MS: 50 }, engine);
    await world.start();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    engine.reset();
    provider = await documentProvider(newSlug());
    source = await DocumentSource.of(world, provider);
  });
  afterEach(() => provider.close());

  const settled = () => allOffered(world);

  it('carries who may open it at the provider, which narrows what the source allows', async () => {
    let access: object | undefined = { audience: 'listed', readers: ['Ana@example.com', 'group:finance'] };
    let fingerprint = 'one';
    provider.onList = () => ({
      changes: [{ path: 'a.md', fingerprint, status: 'modified' }],
      cursor: 'end',
      full: true,
    });
    provider.onFetch = () =>
      ({ bytes: Buffer.from('same'), content_type: 'text/plain', fingerprint, access }) as FetchFileResult;
    const next = async (of: object | undefined) => {
      access = of;
      fingerprint = `${fingerprint}.`;
      engine.offers = [];
      await source.synced();
      await settled();
      return engine.offers.map(({ audience, readers }) => [audience, readers]);
    };
    expect(await next(access)).toEqual([['listed', ['ana@example.com', 'group:finance']]]);
    expect(await next({ audience: 'listed', readers: ['group:finance', 'ana@example.com'] })).toEqual([]);
    expect(await next({ audience: 'listed', readers: [] })).toEqual([['listed', []]]);
    expect(await next({ audience: 'everyone' })).toEqual([['known', []]]);
    await world.call('PATCH', `sources/${source.id}`, { audience: 'everyone' });
    await settled();
    expect(await next({ audience: 'known' })).toEqual([['known', []]]);
    expect(await next({ audience: 'everyone' })).toEqual([['everyone', []]]);
    expect((await source.documents())[0]).toMatchObject({ access: { audience: 'everyone', readers: [] } });
  });

  it('follows what the provider says of the whole place, without being fetched again', async () => {
    let access: PlaceAccess | undefined = {
      audience: 'listed',
      readers: ['Ana@example.com', 'group:hr'],
      note: 'some',
    };
    provider.files.set('a.md', 'one').set('b.md', 'one');
    provider.onList = () => ({
      changes: [...provider.files.keys()].map((path) => ({ path, fingerprint: 'one', status: 'added' as const })),
      cursor: 'end',
      ...(access && { access }),
    });
    const next = async (reported: PlaceAccess | undefined) => {
      access = reported;
      engine.offers = [];
      await source.synced();
      await settled();
      return engine.offers.map(({ path, audience, readers }) => [path, audience, readers]).sort();
    };
    const listed = ['listed', ['ana@example.com', 'group:hr']];
    expect(await next(access)).toEqual([
      ['a.md', ...listed],
      ['b.md', ...listed],
    ]);
    const { body } = await world.call('GET', `sources/${source.id}`);
    expect(body.access).toEqual({ audience: 'listed', readers: ['ana@example.com', 'group:hr'], note: 'some' });
    provider.fetched.clear();
    // A page that does not say opens nothing.
    expect(await next(undefined)).toEqual([]);
    expect(await next({ audience: 'listed', readers: ['group:hr'] })).toEqual([
      ['a.md', 'listed', ['group:hr']],
      ['b.md', 'listed', ['group:hr']],
    ]);
    expect(await next({ audience: 'everyone' })).toEqual([
      ['a.md', 'known', []],
      ['b.md', 'known', []],
    ]);
    expect([...provider.fetched]).toEqual([]);
    // Neither what is only shown, nor what the project leaves aside, changes anything.
    const list = ['ana@example.com', 'group:hr'];
    expect(await next({ audience: 'listed', readers: list })).toHaveLength(2);
    expect(await next({ audience: 'listed', readers: list, note: 'other words' })).toEqual([]);
    const shown = await world.call('GET', `sources/${source.id}`);
    expect(shown.body).toMatchObject({ access: { note: 'other words' } });
    await world.call('PATCH', `sources/${source.id}`, { access_from: 'project' });
    await settled();
    expect(await next({ audience: 'listed', readers: ['group:hr'] })).toEqual([]);
    // Readers that are saved once more, as they are, offer all documents again: UPGRADING says so.
    engine.offers = [];
    await world.call('PATCH', `sources/${source.id}`, { access_from: 'project' });
    await settled();
    expect(engine.offers).toHaveLength(2);
  });

  it('is for whom the rule of its path names, and for nobody where only other paths have one', async () => {
    provider.files.set('hr/pay.md', 'one').set('hr/open/rules.md', 'two').set('new/plan.md', 'three');
    await source.synced();
    await settled();
    const after = async (change: object) => {
      engine.offers = [];
      const { body } = await world.call('PATCH', `sources/${source.id}`, change);
      await settled();
      expect(body).toMatchObject(change);
      return engine.offers.map(({ path, audience, readers }) => [path, audience, readers]).sort();
    };
    const hr = { prefix: 'hr/', audience: 'listed', readers: ['group:hr'] };
    const open = { prefix: 'hr/open/', audience: 'everyone', readers: [] };
    expect(await after({ access_rules: [hr, open] })).toEqual([
      ['hr/open/rules.md', 'known', []],
      ['hr/pay.md', 'listed', ['group:hr']],
      ['new/plan.md', 'listed', []],
    ]);
    const rest = { prefix: '', audience: 'known', readers: [] };
    expect((await after({ access_rules: [hr, rest] })).at(-1)).toEqual(['new/plan.md', 'known', []]);
    expect(await after({ access_rules: [] })).toContainEqual(['hr/pay.md', 'known', []]);
  });

  it('is for those alone who are on all lists, unless the project leaves aside what the provider says', async () => {
    provider.files.set('a.md', 'one');
    const access: PlaceAccess = { audience: 'listed', readers: ['ana@example.com', 'group:hr'] };
    provider.onList = () => ({
      changes: [{ path: 'a.md', fingerprint: 'one', status: 'added' }],
      cursor: 'end',
      access,
    });
    await source.synced();
    await settled();
    const last = async (change: object) => {
      engine.offers = [];
      await world.call('PATCH', `sources/${source.id}`, change);
      await settled();
      return engine.offers.map(({ audience, readers }) => [audience, readers]);
    };
    const rule = { prefix: '', audience: 'listed', readers: ['group:hr', 'ben@example.com'] };
    expect(await last({ access_rules: [rule] })).toEqual([['listed', ['group:hr']]]);
    expect(await last({ access_from: 'project' })).toEqual([['listed', ['ben@example.com', 'group:hr']]]);
    expect(await last({ access_rules: [] })).toEqual([['known', []]]);
    expect(await last({ access_from: 'provider' })).toEqual([['listed', ['ana@example.com', 'group:hr']]]);
  });

  it.each([
    [{ prefix: '', audience: 'listed', readers: ['hr'] }, 'access_rules.0.readers'],
    [{ prefix: '', audience: 'known', readers: ['group:hr'] }, 'access_rules.0.readers'],
    [{ prefix: 'a/', audience: 'staff' }, 'access_rules.0.audience'],
  ])('has no rule %j', async (rule, field) => {
    const { status, body } = await world.call('PATCH', `sources/${source.id}`, { access_rules: [rule] });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
    const twice = { prefix: 'a/', audience: 'known' };
    const { body: twofold } = await world.call('PATCH', `sources/${source.id}`, { access_rules: [twice, twice] });
    expect(twofold.errors?.[0]?.field).toBe('access_rules.1.prefix');
  });

  it('is not synchronised where the place has an access that is none: it might be open to too many', async () => {
    provider.files.set('a.md', 'one');
    provider.onList = () => ({ changes: [], cursor: 'end', access: { audience: 'listed', readers: ['hr'] } });
    await source.synced();
    const { body } = await world.call('GET', `sources/${source.id}`);
    expect(body.sync_failure).toMatchObject({ code: 'contract_violation', error: expect.stringContaining('access') });
  });

  it.each([
    ['no object', 'all', 'access must be an object'],
    ['of an unknown audience', { audience: 'staff' }, '.audience must be one of'],
    ['without its list', { audience: 'listed' }, '.readers must be a list'],
    ['with a reader that is none', { audience: 'listed', readers: ['finance'] }, 'neither the address'],
  ])('is not stored with an access that is %s: it might be open to too many', async (_what, access, why) => {
    provider.files.set('a.md', 'one');
    provider.onFetch = () => ({ bytes: Buffer.from('one'), access });
    await source.synced();
    expect(await source.documents()).toEqual([]);
    const { body } = await world.call('GET', `sources/${source.id}`);
    expect(body.sync_failure).toMatchObject({ code: 'documents_failed', error: expect.stringContaining(why) });
  });
});
