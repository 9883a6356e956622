import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../testing/engine-world.js';
import { type RecordingServer } from '../testing/recording-server.js';
import { type FakeModel } from '../testing/fake-model.js';
import { agentOf, turnsOf } from '../testing/turns-of.js';
import { chunksOf } from './chunks-of.js';

describe('knowledge', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;
  let agent: string;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['knowledge:write'] });
    ({ model, target } = world);
    await world.start();
    agent = await agentOf(world, { tools: ['read_file', 'store_knowledge', 'query_knowledge_graph', 'http_request'] });
  });
  afterAll(() => world.close());

  const called = async (name: string, args: object, input = {}) => {
    model.script([{ name, arguments: JSON.stringify(args) }], 'Done.');
    const turn = turnOf({ agent_id: agent }, input);
    await turnsOf(world).run(turn);
    return { turn, result: (await turnsOf(world).results(turn.turn_id)).at(-1) };
  };

  it('is added, listed, searched, read in parts and deleted', async () => {
    const text = `${'Filler words here. '.repeat(300)}\n\nThe parcel office closes at noon on Fridays.`;
    const added = await world.call('POST', 'knowledge', {
      title: 'Opening hours',
      text,
      uri: 'https://example.com/hours',
    });
    expect(added.status).toBe(201);
    const { id } = added.body;
    expect(added.body).toMatchObject({
      trust: 'owner',
      audience: 'known',
      chars: text.length,
      provenance: { by: 'key:test' },
    });
    expect((await world.call('POST', 'knowledge', { title: 'Opening hours', text })).body.id).toBe(id);
    const found = (await world.call('GET', 'knowledge/search?q=when%20does%20the%20parcel%20office%20close%3F')).body
      .data;
    expect(found[0]).toMatchObject({ document_id: id, excerpt: expect.stringContaining('closes at noon') });
    expect(text.slice(found[0]?.offset)).toContain(found[0]?.excerpt);
    expect((await world.call('GET', 'knowledge')).body.data.map((row: { id: string }) => row.id)).toContain(id);
    const { result } = await called('read_file', { title: 'opening HOURS', offset: text.length - 20, max_chars: 100 });
    expect(result).toEqual({
      id,
      title: 'Opening hours',
      text: 'at noon on Fridays.'.padStart(20),
      next_offset: null,
      trust: 'owner',
      source: 'upload',
    });
    expect((await world.call('DELETE', `knowledge/${id}`)).status).toBe(204);
    expect((await world.call('GET', 'knowledge/search?q=parcel')).body.data).toEqual([]);
    expect((await world.call('GET', `knowledge/${id}`)).status).toBe(404);
  });

  it('is stemmed by the language that it is declared in, also when its terms are made anew', async () => {
    const document = { title: 'Retoure', text: 'Rückgaben of the Bestellungen in the Filialen', language: 'german' };
    const { body } = await world.call('POST', 'knowledge', document);
    expect(body.provenance).toEqual({ by: 'key:test', language: 'german' });
    const stemmed = async () =>
      (
        await world.pool.query(
          `SELECT language, '~filial' = ANY(tsvector_to_array(terms)) AS stemmed FROM engine.chunk WHERE document_id = $1`,
          [body.id],
        )
      ).rows[0];
    expect(await stemmed()).toEqual({ language: 'german', stemmed: true });
    await world.pool.query('UPDATE engine.chunk SET terms = NULL WHERE document_id = $1', [body.id]);
    await until('it is indexed anew', async () => (await stemmed()).stemmed === true);
    expect((await stemmed()).language).toBe('german');
    const { title, text } = document;
    const { body: own } = await world.call('POST', 'knowledge', { title: `${title} 2`, text });
    const { rows } = await world.pool.query('SELECT language FROM engine.chunk WHERE document_id = $1', [own.id]);
    expect(rows).toEqual([{ language: 'english' }]);
    expect((await world.call('POST', 'knowledge', { ...document, language: 'klingon' })).status).toBe(422);
  });

  it('is searched without an error by words that look like SQL or operators', async () => {
    for (const q of ["'; DROP TABLE engine.document --", 'a & | ! ( ) :* <->', '%', '\u4f60\u597d']) {
      expect((await world.call('GET', `knowledge/search?q=${encodeURIComponent(q)}`)).status).toBe(200);
    }
  });

  it('is not found, read or deleted from another project', async () => {
    const { id } = (await world.call('POST', 'knowledge', { title: 'Ours', text: 'unshareable' })).body;
    const stranger = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await world.call('GET', `knowledge/${id}`, undefined, stranger)).status).toBe(404);
    expect((await world.call('GET', 'knowledge/search?q=unshareable', undefined, stranger)).body.data).toEqual([]);
    expect((await world.call('DELETE', `knowledge/${id}`, undefined, stranger)).status).toBe(404);
  });

  it('answers untrusted senders only from what is for everyone', async () => {
    await world.call('POST', 'knowledge', { title: 'Prices', text: 'zebra costs ten', audience: 'everyone' });
    await world.call('POST', 'knowledge', { title: 'Margins', text: 'zebra earns five' });
    const untrusted = await called('query_knowledge_graph', { query: 'zebra' }, { trust: 'unknown' });
    expect(untrusted.result.documents.map(({ title }: { title: string }) => title)).toEqual(['Prices']);
    expect((await called('read_file', { title: 'Margins' }, { trust: 'unknown' })).result.error.code).toBe(
      'document_not_found',
    );
    const known = await called('query_knowledge_graph', { query: 'zebra' });
    expect(known.result.documents.map(({ title }: { title: string }) => title).sort()).toEqual(['Margins', 'Prices']);
  });

  it('is named by the turn and its timeline when an agent reads it', async () => {
    const { id } = (await world.call('POST', 'knowledge', { title: 'Okapi care', text: 'Okapis eat leaves.' })).body;
    const { turn } = await called('query_knowledge_graph', { query: 'okapi' });
    const documents = [{ id, title: 'Okapi care' }];
    const step = `SELECT content FROM engine.step WHERE turn_id = $1 AND kind = 'tool_result'`;
    expect((await world.pool.query(step, [turn.turn_id])).rows[0].content).toMatchObject({ documents });
    const sql = `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND reason = 'tool_called'`;
    const entry = await until(
      'the timeline has the call',
      async () => (await world.pool.query(sql, [turn.turn_id])).rows[0],
    );
    expect(entry.detail).toMatchObject({ documents });
  });

  it('records where it was learnt, and is untrusted when untrusted senders contributed to it', async () => {
    const { turn, result } = await called('store_knowledge', { text: 'Ada likes quokkas.' });
    expect((await world.call('GET', `knowledge/${result.document_id}`)).body).toMatchObject({
      trust: 'known',
      source: 'turn',
      provenance: { turn_id: turn.turn_id, agent_id: agent, sender: 'ada' },
    });
    const read = [{ name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: `${target.url}/page` }) }];
    // It is requested in the same step, before the model has read the page. What it has read by the time of storing
    // counts.
    const store = { name: 'store_knowledge', arguments: JSON.stringify({ text: 'Quokkas were bought by Mallory.' }) };
    model.script([...read, store], 'Done.');
    await turnsOf(world).run(turnOf({ agent_id: agent }));
    const found = (await called('query_knowledge_graph', { query: 'quokkas' })).result.documents;
    const trusts = Object.fromEntries(
      found.map(({ excerpt, trust }: { excerpt: string; trust: string }) => [excerpt, trust]),
    );
    expect(trusts).toEqual({ 'Ada likes quokkas.': 'known', 'Quokkas were bought by Mallory.': 'untrusted' });
    expect(
      (await called('store_knowledge', { text: 'From a webhook.' }, { trust: 'builtin', text_from: 'system' })).result
        .stored,
    ).toBe(true);
    const rows = await world.pool.query("SELECT trust FROM engine.document WHERE content = 'From a webhook.'");
    expect(rows.rows).toEqual([{ trust: 'untrusted' }]);
  });

  it('gives neighbours and paths of entities, in both directions and within bounds', async () => {
    const relations = [
      { from: 'Ada', relation: 'works for', to: 'Acme' },
      { from: 'Acme', relation: 'owns', to: 'Mill' },
      { from: 'Mill', relation: 'grinds', to: 'Flour' },
      { from: 'Flour', relation: 'feeds', to: 'Ada' },
    ];
    const entities = [{ name: 'Ada', kind: 'person', description: 'An engineer' }];
    const { result } = await called('store_knowledge', { title: 'Mill', entities, relations });
    const near = (await called('query_knowledge_graph', { entity: ' ada ', depth: 1, limit: 50 })).result;
    expect(near.entity).toMatchObject({ name: 'Ada', mentions: [{ kind: 'person', trust: 'known' }] });
    expect(near.relations.map((each: { from: string; to: string }) => `${each.from}>${each.to}`).sort()).toEqual([
      'Ada>Acme',
      'Flour>Ada',
    ]);
    const listed = (await world.call('GET', 'knowledge/entities?q=AD')).body.data;
    expect(listed).toMatchObject([{ name: 'Ada', kinds: ['person'], documents: 1 }]);
    expect((await world.call('GET', `knowledge/entities/${listed[0]?.id}`)).body).toMatchObject({
      name: 'Ada',
      mentions: [{ description: 'An engineer', document_id: result.document_id }],
      relations: [
        { from: 'Ada', relation: 'works for', to: 'Acme' },
        { from: 'Flour', relation: 'feeds', to: 'Ada' },
      ],
    });
    const first = (await world.call('GET', 'knowledge/entities?limit=1')).body;
    const next = (await world.call('GET', `knowledge/entities?limit=1&cursor=${first.next_cursor}`)).body;
    expect([first.data[0]?.name, next.data[0]?.name]).toEqual(['Acme', 'Ada']);
    const elsewhere = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await world.call('GET', `knowledge/entities/${listed[0]?.id}`, undefined, elsewhere)).status).toBe(404);
    const paths = (await called('query_knowledge_graph', { entity: 'Ada', to: 'mill', depth: 3 })).result.paths;
    expect(paths).toEqual([
      expect.objectContaining({
        entities: ['Ada', 'Acme', 'Mill'],
        relations: ['works for', 'owns'],
        untrusted: false,
      }),
      expect.objectContaining({ entities: ['Ada', 'Flour', 'Mill'], relations: ['<-feeds', '<-grinds'] }),
    ]);
    await world.call('DELETE', `knowledge/${result.document_id}`);
    expect((await called('query_knowledge_graph', { entity: 'Ada' })).result.entity).toBeNull();
    const left = await world.pool.query(
      "SELECT count(*)::int AS n FROM engine.entity WHERE name_key IN ('acme', 'mill', 'flour')",
    );
    expect(left.rows[0].n).toBe(0);
  });

  it('answers, within bounds, for an entity with thousands of relations', async () => {
    const relations = Array.from({ length: 2_000 }, (_, n) => ({
      from: 'Hub',
      relation: 'knows',
      to: `Spoke ${n % 40} of ${n}`,
    }));
    await world.call('POST', 'knowledge', { title: 'Hub', text: 'hub', relations });
    const near = (await called('query_knowledge_graph', { entity: 'Hub', depth: 4, limit: 50 })).result;
    expect(near.relations).toHaveLength(50);
    const far = (await called('query_knowledge_graph', { entity: 'Spoke 1 of 1', to: 'Spoke 2 of 2', depth: 4 }))
      .result;
    expect(far.paths.length).toBeLessThanOrEqual(10);
  });

  it('is cut into parts that add up to the whole', () => {
    const texts = [
      '',
      'short',
      'word '.repeat(2_000),
      'x'.repeat(5_000),
      '\u{1f600}'.repeat(3_000),
      'a\n\n'.repeat(1_500),
    ];
    for (const text of texts) {
      const chunks = chunksOf(text);
      for (const chunk of chunks) {
        expect(text.slice(chunk.start, chunk.start + chunk.text.length)).toBe(chunk.text);
        expect(chunk.text.isWellFormed()).toBe(true);
      }
      expect(
        chunks
          .map((chunk) => chunk.text)
          .join('')
          .trim(),
      ).toBe(text.trim());
    }
  });
});
