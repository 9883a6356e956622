import type { FetchFileResult, ListChangesResult, PlaceAccess } from '#libs/adapter-sdk';
import { home, until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { type DocumentProvider, documentProvider } from '../testing/document-provider.js';
import { DocumentSource } from '../testing/document-source.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../testing/http-server.js';

interface Offer {
  id: string;
  project: string;
  revision: number;
  removed: boolean;
  path: string;
  text: string | null;
  trust: string;
  audience: string;
  readers: string[];
  provenance: Record<string, unknown>;
}

describe("a change of a source's document", () => {
  let world: GatewayWorld;
  let engine: TestServer;
  let provider: DocumentProvider;
  let source: DocumentSource;
  let offers: Offer[];
  /** Answers instead of the engine, where it returns true. */
  let instead: (version: Offer, response: ServerResponse) => boolean;

  beforeAll(async () => {
    engine = await httpServer((path, body, response, request) => {
      const { content_base64: content, ...version } = JSON.parse(body);
      const one: Offer = {
        ...version,
        id: path.replace('/internal/synced-documents/', ''),
        project: projectOf(request.headers.authorization ?? ''),
        text: content === undefined ? null : Buffer.from(content, 'base64').toString(),
      };
      offers.push(one);
      if (!instead(one, response)) sendJson(response, { outcome: one.removed ? 'removed' : 'kept' });
    });
    world = await startGateway({ ENGINE_URL: engine.url, SYNC_SWEEP_MS: 50 }, engine);
    await world.start();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    offers = [];
    instead = () => false;
    const slug = `docs-${Math.random().toString(36).slice(2, 8)}`;
    provider = await documentProvider(slug);
    source = await DocumentSource.of(world, provider);
  });
  afterEach(() => provider.close());

  const settled = () =>
    until('the engine knows everything', async () => {
      const { rows } = await world.pool.query('SELECT 1 FROM gateway.source_document WHERE offer_at IS NOT NULL');
      return rows.length === 0;
    });
  const brief = (ones: Offer[]) => ones.map(({ path, revision, removed, text }) => [path, revision, removed, text]);
  const knowledge = async (): Promise<Record<string, string>> => {
    return Object.fromEntries((await source.documents()).map((row) => [row.path, row.knowledge]));
  };

  it('is offered to the engine once, with its origin', async () => {
    provider.files.set('a.md', 'one').set('b.md', 'two');
    await source.synced();
    await settled();
    expect(brief(offers).sort()).toEqual([
      ['a.md', 1, false, 'one'],
      ['b.md', 1, false, 'two'],
    ]);
    expect(offers[0]).toMatchObject({ project: home.projectId, trust: 'untrusted', audience: 'known' });
    expect(offers.find(({ path }) => path === 'a.md')?.provenance).toMatchObject({
      source_id: source.id,
      path: 'a.md',
      fingerprint: 'one',
      resource_path: 'root',
      app_id: expect.stringMatching(/^app_/),
    });
    offers = [];
    provider.files.set('a.md', 'one more');
    provider.files.delete('b.md');
    await source.synced();
    await settled();
    expect(brief(offers).sort()).toEqual([
      ['a.md', 2, false, 'one more'],
      ['b.md', 2, true, null],
    ]);
    expect(await knowledge()).toEqual({ 'a.md': 'kept', 'b.md': 'removed' });
    offers = [];
    await source.synced();
    await settled();
    expect(offers).toEqual([]);
  });

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
      offers = [];
      await source.synced();
      await settled();
      return offers.map(({ audience, readers }) => [audience, readers]);
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
      offers = [];
      await source.synced();
      await settled();
      return offers.map(({ path, audience, readers }) => [path, audience, readers]).sort();
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
    offers = [];
    await world.call('PATCH', `sources/${source.id}`, { access_from: 'project' });
    await settled();
    expect(offers).toHaveLength(2);
  });

  it('is for whom the rule of its path names, and for nobody where only other paths have one', async () => {
    provider.files.set('hr/pay.md', 'one').set('hr/open/rules.md', 'two').set('new/plan.md', 'three');
    await source.synced();
    await settled();
    const after = async (change: object) => {
      offers = [];
      const { body } = await world.call('PATCH', `sources/${source.id}`, change);
      await settled();
      expect(body).toMatchObject(change);
      return offers.map(({ path, audience, readers }) => [path, audience, readers]).sort();
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
      offers = [];
      await world.call('PATCH', `sources/${source.id}`, change);
      await settled();
      return offers.map(({ audience, readers }) => [audience, readers]);
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
    provider.onList = () =>
      ({ changes: [], cursor: 'end', access: { audience: 'listed', readers: ['hr'] } }) as unknown as ListChangesResult;
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
    provider.onFetch = () => ({ bytes: Buffer.from('one'), access }) as unknown as FetchFileResult;
    await source.synced();
    expect(await source.documents()).toEqual([]);
    const { body } = await world.call('GET', `sources/${source.id}`);
    expect(body.sync_failure).toMatchObject({ code: 'documents_failed', error: expect.stringContaining(why) });
  });

  it('is offered until it is accepted: while the engine is away, and when its answer was lost', async () => {
    let refused = 0;
    let lost = 0;
    instead = ({ path }, response) => {
      if (refused < 5) {
        refused += 1;
        sendJson(response, { code: 'service_unavailable' }, 503);
        return true;
      }
      if (path !== 'f/1' || lost > 0) return false;
      lost += 1;
      response.destroy();
      return true;
    };
    for (let n = 0; n < 40; n += 1) provider.files.set(`f/${n}`, `text ${n}`);
    await source.synced();
    await settled();
    expect([refused, lost]).toEqual([5, 1]);
    expect(new Set(offers.map(({ path }) => path)).size).toBe(40);
    expect(offers.length).toBe(40 + refused + lost);
    expect(new Set(Object.values(await knowledge()))).toEqual(new Set(['kept']));
  });

  it('is shown on the document and its source until it is accepted: since when, why, and the next attempt', async () => {
    let status = 503;
    instead = (_version, response) => {
      if (status === 200) return false;
      sendJson(response, { code: status === 503 ? 'service_unavailable' : 'invalid_fields', detail: 'not so' }, status);
      return true;
    };
    const shown = async () => {
      const { body } = await world.call('GET', `sources/${source.id}/documents`);
      const { feed_failure: feed } = (await world.call('GET', `sources/${source.id}`)).body;
      return { document: body.data[0]?.knowledge_failure, feed };
    };
    const failing = (code: string) =>
      until(`it shows ${code}`, async () => {
        const { document, feed } = await shown();
        return document?.code === code && feed?.code === code ? { document, feed } : null;
      });
    provider.files.set('a.md', 'one');
    await source.synced();
    const away = await failing('service_unavailable');
    expect(away.feed).toMatchObject({ error: 'a.md: not so', since: away.document.since });
    status = 422;
    const refused = await failing('invalid_fields');
    expect(refused.document).toMatchObject({ error: 'not so', since: away.document.since });
    expect(Date.parse(refused.document?.next_try_at ?? '')).toBeGreaterThan(Date.parse(refused.document?.since ?? ''));
    status = 200;
    await world.pool.query('UPDATE gateway.source_document SET offer_at = now() WHERE offer_at IS NOT NULL');
    await settled();
    await until('neither shows it any more', async () => {
      const { document, feed } = await shown();
      return document === null && feed === null;
    });
  });

  it('ends as the newest version, also where the previous one was in flight meanwhile', async () => {
    provider.files.set('a.md', 'first');
    let held: ServerResponse | undefined;
    instead = (version, response) => {
      if (version.text !== 'first') return false;
      held = response;
      return true;
    };
    await source.synced();
    await until('the first is in flight', () => held);
    provider.files.set('a.md', 'then');
    await source.synced();
    await until('the second was sent', () => offers.some(({ text }) => text === 'then'));
    if (held) sendJson(held, { outcome: 'unreadable' });
    await settled();
    await until('the outcome of the newest is known', async () => (await knowledge())['a.md'] === 'kept');
    expect(brief(offers)).toEqual([
      ['a.md', 1, false, 'first'],
      ['a.md', 2, false, 'then'],
    ]);
  });

  it('carries the trust level of the source, and is offered again when that changes', async () => {
    provider.files.set('a.md', 'one');
    await source.synced();
    await settled();
    const vouched = { trust: 'owner', audience: 'everyone' };
    const refused = await world.call('PATCH', `sources/${source.id}`, vouched);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    const patched = await world.call('PATCH', `sources/${source.id}`, vouched, {
      scopes: ['apps:write', 'approvals:manage'],
    });
    expect(patched.body).toMatchObject({ trust: 'owner', audience: 'everyone' });
    await settled();
    expect(offers.at(-1)).toMatchObject({ revision: 2, trust: 'owner', audience: 'everyone', text: 'one' });
    await world.call('PATCH', `sources/${source.id}`, { name: 'Other' });
    await settled();
    expect(offers).toHaveLength(2);
  });

  it.each([
    ['PATCH', { audience: 'everyone' }, 200],
    ['DELETE', undefined, 204],
  ])('is recorded while somebody sends %s to the source', async (method, body, status) => {
    provider.files.set('a.md', 'one');
    await source.synced();
    await settled();
    const client = await world.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM gateway.source_document WHERE source_id = $1 FOR UPDATE', [source.id]);
      const answer = world.call(method, `sources/${source.id}`, body);
      await until('it waits for the document', async () => {
        const { rows } = await world.pool.query('SELECT FROM pg_locks WHERE NOT granted');
        return rows.length > 0;
      });
      await client.query('UPDATE gateway.source SET feed_failure = NULL WHERE id = $1', [source.id]);
      await client.query('COMMIT');
      expect((await answer).status).toBe(status);
    } finally {
      client.release();
    }
  });

  it('is a removal when the source is deleted, and nothing of it is left', async () => {
    provider.files.set('a.md', 'one').set('b.md', 'two');
    await source.synced();
    await settled();
    offers = [];
    let away = true;
    instead = (_version, response) => {
      if (away) sendJson(response, { code: 'service_unavailable' }, 503);
      return away;
    };
    expect((await world.call('DELETE', `sources/${source.id}`)).status).toBe(204);
    await until('it was tried', () => offers.length > 0);
    away = false;
    const left = () => world.pool.query('SELECT 1 FROM gateway.source_document WHERE source_id = $1', [source.id]);
    await until('nothing is left', async () => (await left()).rows.length === 0);
    const last = new Map(offers.map((one) => [one.path, one.removed]));
    expect([...last]).toEqual(
      expect.arrayContaining([
        ['a.md', true],
        ['b.md', true],
      ]),
    );
  });

  it('to more than the limit removes the previous version', async () => {
    provider.files.set('a.md', 'small');
    await source.synced();
    await settled();
    provider.files.set('a.md', 'large '.repeat(400));
    await source.synced();
    await settled();
    expect(brief(offers)).toEqual([
      ['a.md', 1, false, 'small'],
      ['a.md', 2, true, null],
    ]);
    expect(await knowledge()).toEqual({ 'a.md': 'too_large' });
    instead = ({ removed }, response) => {
      if (!removed) sendJson(response, { code: 'payload_too_large' }, 413);
      return !removed;
    };
    provider.files.set('a.md', 'over the limit of the engine');
    await source.synced();
    await settled();
    expect(brief(offers).slice(2)).toEqual([
      ['a.md', 3, false, 'over the limit of the engine'],
      ['a.md', 3, true, null],
    ]);
    expect(await knowledge()).toEqual({ 'a.md': 'too_large' });
  });

  it('holds up no other document when the engine fails at it', async () => {
    instead = ({ path }, response) => {
      if (path === 'bad') sendJson(response, { code: 'internal_error' }, 500);
      return path === 'bad';
    };
    provider.files.set('bad', 'x');
    for (let n = 0; n < 30; n += 1) provider.files.set(`f/${n}`, `text ${n}`);
    await source.synced();
    await until('the others are taken', async () => {
      const states = Object.entries(await knowledge());
      return states.length === 31 && states.every(([path, state]) => state === (path === 'bad' ? 'waiting' : 'kept'));
    });
    await world.call('DELETE', `sources/${source.id}`);
  });
});

function projectOf(authorization: string): string {
  const [, payload = ''] = authorization.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).prj;
}
