import { home, until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { type DocumentProvider, documentProvider, newSlug } from '../testing/document-provider.js';
import { DocumentSource } from '../testing/document-source.js';
import { allOffered, FakeKnowledge, type Offer } from '../testing/fake-knowledge.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { sendJson } from '../testing/http-server.js';

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
  const brief = (ones: Offer[]) => ones.map(({ path, revision, removed, text }) => [path, revision, removed, text]);
  const knowledge = async (): Promise<Record<string, string>> => {
    return Object.fromEntries((await source.documents()).map((row) => [row.path, row.knowledge]));
  };

  it('is offered to the engine once, with its origin', async () => {
    provider.files.set('a.md', 'one').set('b.md', 'two');
    await source.synced();
    await settled();
    expect(brief(engine.offers).sort()).toEqual([
      ['a.md', 1, false, 'one'],
      ['b.md', 1, false, 'two'],
    ]);
    expect(engine.offers[0]).toMatchObject({ project: home.projectId, trust: 'untrusted', audience: 'known' });
    expect(engine.offers.find(({ path }) => path === 'a.md')?.provenance).toMatchObject({
      source_id: source.id,
      path: 'a.md',
      fingerprint: 'one',
      resource_path: 'root',
      app_id: expect.stringMatching(/^app_/),
    });
    engine.offers = [];
    provider.files.set('a.md', 'one more');
    provider.files.delete('b.md');
    await source.synced();
    await settled();
    expect(brief(engine.offers).sort()).toEqual([
      ['a.md', 2, false, 'one more'],
      ['b.md', 2, true, null],
    ]);
    expect(await knowledge()).toEqual({ 'a.md': 'kept', 'b.md': 'removed' });
    engine.offers = [];
    await source.synced();
    await settled();
    expect(engine.offers).toEqual([]);
  });

  it('is offered until it is accepted: while the engine is away, and when its answer was lost', async () => {
    let refused = 0;
    let lost = 0;
    engine.instead = ({ path }, response) => {
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
    expect(new Set(engine.offers.map(({ path }) => path)).size).toBe(40);
    expect(engine.offers.length).toBe(40 + refused + lost);
    expect(new Set(Object.values(await knowledge()))).toEqual(new Set(['kept']));
  });

  it('is shown on the document and its source until it is accepted: since when, why, and the next attempt', async () => {
    let status = 503;
    engine.instead = (_version, response) => {
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
    engine.instead = (version, response) => {
      if (version.text !== 'first') return false;
      held = response;
      return true;
    };
    await source.synced();
    await until('the first is in flight', () => held);
    provider.files.set('a.md', 'then');
    await source.synced();
    await until('the second was sent', () => engine.offers.some(({ text }) => text === 'then'));
    if (held) sendJson(held, { outcome: 'unreadable' });
    await settled();
    await until('the outcome of the newest is known', async () => (await knowledge())['a.md'] === 'kept');
    expect(brief(engine.offers)).toEqual([
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
    expect(engine.offers.at(-1)).toMatchObject({ revision: 2, trust: 'owner', audience: 'everyone', text: 'one' });
    await world.call('PATCH', `sources/${source.id}`, { name: 'Other' });
    await settled();
    expect(engine.offers).toHaveLength(2);
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
    engine.offers = [];
    let away = true;
    engine.instead = (_version, response) => {
      if (away) sendJson(response, { code: 'service_unavailable' }, 503);
      return away;
    };
    expect((await world.call('DELETE', `sources/${source.id}`)).status).toBe(204);
    await until('it was tried', () => engine.offers.length > 0);
    away = false;
    const left = () => world.pool.query('SELECT 1 FROM gateway.source_document WHERE source_id = $1', [source.id]);
    await until('nothing is left', async () => (await left()).rows.length === 0);
    const last = new Map(engine.offers.map((one) => [one.path, one.removed]));
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
    expect(brief(engine.offers)).toEqual([
      ['a.md', 1, false, 'small'],
      ['a.md', 2, true, null],
    ]);
    expect(await knowledge()).toEqual({ 'a.md': 'too_large' });
    engine.instead = ({ removed }, response) => {
      if (!removed) sendJson(response, { code: 'payload_too_large' }, 413);
      return !removed;
    };
    provider.files.set('a.md', 'over the limit of the engine');
    await source.synced();
    await settled();
    expect(brief(engine.offers).slice(2)).toEqual([
      ['a.md', 3, false, 'over the limit of the engine'],
      ['a.md', 3, true, null],
    ]);
    expect(await knowledge()).toEqual({ 'a.md': 'too_large' });
  });

  it('holds up no other document when the engine fails at it', async () => {
    engine.instead = ({ path }, response) => {
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
