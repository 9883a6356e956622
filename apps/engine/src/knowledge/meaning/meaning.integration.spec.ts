import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { fakeEmbeddings, type FakeEmbeddings } from '../../testing/fake-embeddings.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const concepts = [
  ['refund', 'money back', 'geld zurück', 'reimburse'],
  ['parcel', 'delivery', 'shipment', 'lieferung'],
  ['okapi', 'giraffe'],
];

describe('meaning', () => {
  let world: EngineWorld;
  let endpoint: FakeEmbeddings;
  let provider: string;

  const add = async (title: string, text: string, over: object = {}) =>
    (await world.call('POST', 'knowledge', { title, text, ...over })).body.id;
  const search = async (q: string) => (await world.call('GET', `knowledge/search?q=${encodeURIComponent(q)}`)).body;
  const titles = async (q: string) => (await search(q)).data.map(({ title }) => title);
  const choose = (model = 'straight') => world.call('PUT', 'knowledge/meaning', { provider_id: provider, model });
  const meaning = async () => (await world.call('GET', 'knowledge/meaning')).body;
  const ready = () => until('all documents have vectors', async () => (await meaning()).state === 'ready');

  beforeAll(async () => {
    [world, endpoint] = await Promise.all([
      engineWorld({ scopes: ['knowledge:write', 'agents:write'] }),
      fakeEmbeddings(concepts),
    ]);
    await world.start({ SWEEP_EVERY_MS: 100, EMBEDDING_BATCH: 4, EMBEDDING_QUERY_MS: 300, MODEL_TRIAL_MS: 100 });
    world.services.on('/internal/toolsets/resolve', () => ({ skills: [], tools: [], problems: [], left_out: [] }));
    const body = { name: 'vectors', kind: 'openai-compatible', base_url: endpoint.url };
    provider = (await world.call('POST', 'providers', body)).body.id;
  });
  afterAll(async () => {
    await world.close();
    await endpoint.close();
  });
  beforeEach(async () => {
    endpoint.waits(async () => undefined);
    endpoint.failsWith(null);
    endpoint.refuses(null);
    endpoint.texts.length = 0;
    await world.call('DELETE', 'knowledge/meaning');
    const { rows } = await world.pool.query('SELECT id FROM engine.document');
    for (const { id } of rows) await world.call('DELETE', `knowledge/${id}`);
  });

  it('finds a document by other words for its matter once it has vectors, and by its own words before', async () => {
    await add('Rückgabe', 'Sie bekommen Ihr Geld zurück, wenn Sie die Ware in 30 Tagen senden.');
    await add('Delivery', 'A parcel takes two days.');
    expect(await titles('How do I get reimbursed?')).toEqual([]);
    expect(await meaning()).toMatchObject({ state: 'off', model: null, provider_id: null });
    expect((await choose()).body).toMatchObject({
      provider: 'vectors',
      model: 'straight',
      dimensions: 4,
      documents: 2,
    });
    await ready();
    expect((await titles('How do I get reimbursed?'))[0]).toBe('Rückgabe');
    expect((await titles('Where is my shipment'))[0]).toBe('Delivery');
    let open = (): void => undefined;
    endpoint.waits((texts) =>
      texts.join().includes('striped') ? new Promise<void>((go) => (open = go)) : Promise.resolve(),
    );
    await add('Animals', 'An okapi is striped.');
    expect((await titles('striped'))[0]).toBe('Animals');
    expect(await meaning()).toMatchObject({ state: 'working', documents: 3, embedded: 2 });
    open();
    await ready();
    expect((await titles('giraffe'))[0]).toBe('Animals');
    const { rows } = await world.pool.query(
      `SELECT action, after FROM engine.audit WHERE action LIKE 'knowledge.%' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows[0].after).toEqual({ provider_id: provider, model: 'straight' });
  });

  it('gives each chunk the vector of its title and text, and a longer document more than one request', async () => {
    await add(
      'Handbook',
      Array.from({ length: 9 }, (_, n) => `Part ${n}. ${'All of it is filler. '.repeat(60)}`).join('\n\n'),
    );
    await choose();
    await ready();
    const sent = endpoint.texts.filter((text) => text !== 'A word.');
    expect(sent).toHaveLength(9);
    expect(new Set(sent).size).toBe(9);
    expect(sent.every((text) => text.startsWith('Handbook\n\nPart'))).toBe(true);
  });

  it('of a changed model never compares vectors of the one before, and documents are found by words meanwhile', async () => {
    await add('Refunds', 'We refund it.');
    await add('Okapi care', 'The okapi eats leaves.');
    await choose('straight');
    await ready();
    expect((await titles('money back'))[0]).toBe('Refunds');
    let open = (): void => undefined;
    const opened = new Promise<void>((go) => (open = go));
    endpoint.waits((texts) => (/leaves|refund it/.test(texts.join()) ? opened : Promise.resolve()));
    await choose('turned');
    // Compared with the vectors of before, the question would be nearest to the okapi.
    expect(await titles('money back')).toEqual([]);
    expect((await titles('leaves'))[0]).toBe('Okapi care');
    open();
    await ready();
    expect((await titles('money back'))[0]).toBe('Refunds');
    const spaces = await world.pool.query('SELECT DISTINCT space FROM engine.chunk_vector');
    expect(spaces.rows).toHaveLength(1);
  });

  it('that is away leaves words, and the call of the agent says so on the timeline', async () => {
    await add('Refunds', 'We refund it within a week.');
    await choose();
    await ready();
    endpoint.failsWith(503);
    const found = await search('refund');
    expect(found.data[0]?.title).toBe('Refunds');
    expect(found.note).toMatch(/words alone.*the embedding model straight does not answer/);
    endpoint.failsWith(null);
    await until('it is asked again', async () => (await search('refund')).note === null);
    endpoint.waits(() => new Promise((go) => setTimeout(go, 2_000).unref()));
    const agent = await agentOf(world, { tools: ['query_knowledge_graph'] });
    const call = { name: 'query_knowledge_graph', arguments: JSON.stringify({ query: 'refund' }) };
    world.model.script([call], 'Done.');
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    const [result] = await turnsOf(world).results(turn.turn_id);
    expect(result.documents[0].title).toBe('Refunds');
    expect(result.note).toContain('no answer within 300 ms');
    const sql = `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND reason = 'tool_called'`;
    const entry = await until('the timeline has it', async () => (await world.pool.query(sql, [turn.turn_id])).rows[0]);
    expect(JSON.stringify(entry.detail)).toContain('words alone');
  });

  it('shows why no vectors are made, and goes on by itself when its endpoint is back', async () => {
    await choose();
    endpoint.failsWith(401);
    await add('Refunds', 'We refund it.');
    const failing = await until('it fails', async () => {
      const view = await meaning();
      return view.state === 'failing' && view;
    });
    expect(failing.failure).toMatchObject({
      code: 'model_unauthorized',
      error: expect.stringContaining('The embedding model straight: the model answered 401'),
      next_try_at: expect.any(String),
      what_to_do: expect.stringContaining('Repair its provider'),
    });
    endpoint.failsWith(null);
    await ready();
    expect((await meaning()).failure).toBeNull();
  });

  it('is made for other projects while the endpoint of one does not answer', async () => {
    const elsewhere = { organizationId: home.organizationId, projectId: newId('prj') };
    const other = { name: 'vectors', kind: 'openai-compatible', base_url: endpoint.url };
    const { id } = (await world.call('POST', 'providers', other, elsewhere)).body;
    const [asked, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hang = () => (asked.resolve(), opened.promise);
    endpoint.waits((texts) => (texts.join().includes('okapi') ? hang() : Promise.resolve()));
    await add('Animals', 'An okapi.');
    await choose();
    await asked.promise;
    const document = { title: 'Refunds', text: 'We refund it.' };
    const added = (await world.call('POST', 'knowledge', document, elsewhere)).body;
    await world.call('PUT', 'knowledge/meaning', { provider_id: id, model: 'straight' }, elsewhere);
    const state = async () => (await world.call('GET', 'knowledge/meaning', undefined, elsewhere)).body.state;
    await until('the other project has its vectors', async () => (await state()) === 'ready', 20_000);
    expect((await meaning()).state).toBe('working');
    opened.resolve();
    await ready();
    await world.call('DELETE', `knowledge/${added.id}`, undefined, elsewhere);
  });

  it('of a process that hangs or is gone is made by another one, and no stored vector is asked for again', async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) await add(`Delivery ${n}`, `Parcel ${n}.`);
    let asked = 0;
    // The second request is never answered.
    endpoint.waits((texts) => {
      asked += texts[0] === 'A word.' ? 0 : 1;
      return asked === 2 ? new Promise(() => undefined) : Promise.resolve();
    });
    await world.start({ SWEEP_EVERY_MS: 100, EMBEDDING_BATCH: 4 });
    await choose();
    await until('a request hangs', async () => asked === 2);
    // As it is when the time of the process is over that holds it.
    await world.pool.query('UPDATE engine.embedding_model SET due_at = now()');
    await ready();
    expect(endpoint.texts.filter((text) => text.startsWith('Delivery')).toSorted()).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `Delivery ${n}\n\nParcel ${n}.`),
    );
  });

  it('of a text that the model refuses is that of its beginning, or the text is found by words and counted', async () => {
    await add('Long', `Okapi ${'and okapi '.repeat(90)}`);
    await add('Refused', 'The unspeakable refund.');
    await add('Other', 'A parcel.');
    endpoint.refuses(/unspeakable|.{760}/s);
    await choose();
    await ready();
    expect(await meaning()).toMatchObject({ documents: 3, embedded: 3, refused: 1 });
    expect((await titles('giraffe'))[0]).toBe('Long');
    expect((await titles('unspeakable'))[0]).toBe('Refused');
  });

  it('of a document that is replaced meanwhile is that of its new text', async () => {
    const id = newId('sdoc');
    const version = (revision: number, text: string) => ({
      revision,
      removed: false,
      path: 'a.md',
      content_type: 'text/markdown',
      content_base64: Buffer.from(text).toString('base64'),
      trust: 'owner',
      audience: 'known',
      provenance: {},
    });
    let open = (): void => undefined;
    const opened = new Promise<void>((go) => (open = go));
    endpoint.waits((texts) => (texts.join().includes('okapi') ? opened : Promise.resolve()));
    await world.internal('PUT', `synced-documents/${id}`, version(1, 'An okapi.'));
    await choose();
    await until('its first text is asked for', async () =>
      endpoint.requests.some(({ text }) => text.includes('okapi')),
    );
    await world.internal('PUT', `synced-documents/${id}`, version(2, 'A parcel.'));
    open();
    await until('its new text has a vector', async () => endpoint.texts.join().includes('A parcel.'));
    await ready();
    const { rows } = await world.pool.query('SELECT vector FROM engine.chunk_vector');
    expect(rows).toHaveLength(1);
    expect((rows[0].vector as Buffer).readFloatLE(4)).toBeGreaterThan(0.9);
  });

  it('of a chunk goes with it, also where the release before deletes the document', async () => {
    await add('Refunds', 'We refund it.');
    await choose();
    await ready();
    await world.pool.query('DELETE FROM engine.document; DELETE FROM engine.chunk');
    expect((await world.pool.query('SELECT FROM engine.chunk_vector')).rows).toEqual([]);
  });

  it('compares only the newest vectors, and says so', async () => {
    await world.restart({ SWEEP_EVERY_MS: 100, EMBEDDING_SCAN: 2 });
    await add('Oldest', 'An okapi.');
    for (const n of [1, 2, 3]) await add(`Delivery ${n}`, `Parcel ${n}.`);
    await choose();
    await ready();
    const { data, note } = await search('giraffe');
    expect(data.map(({ title }) => title).toSorted()).toEqual(['Delivery 2', 'Delivery 3']);
    expect(note).toBe('Only the newest 2 parts were compared by meaning; older ones by their words.');
    await world.restart({ SWEEP_EVERY_MS: 100, EMBEDDING_BATCH: 4, EMBEDDING_QUERY_MS: 300, MODEL_TRIAL_MS: 100 });
  });

  it('finds for an untrusted sender only what is for everyone', async () => {
    await add('Open refunds', 'We refund it.', { audience: 'everyone' });
    await add('Margins', 'A refund costs us five.');
    await choose();
    await ready();
    const agent = await agentOf(world, { tools: ['query_knowledge_graph'] });
    const call = { name: 'query_knowledge_graph', arguments: JSON.stringify({ query: 'money back' }) };
    world.model.script([call], 'Done.');
    const turn = turnOf({ agent_id: agent }, { trust: 'unknown' });
    await turnsOf(world).run(turn);
    const [result] = await turnsOf(world).results(turn.turn_id);
    expect(result.documents.map(({ title }: { title: string }) => title)).toEqual(['Open refunds']);
  });

  it('is refused for what makes no vectors, and for a provider of another project', async () => {
    const refusal = { status: 422, body: expect.objectContaining({ code: 'invalid_fields' }) };
    endpoint.failsWith(404);
    const refused = await choose('none');
    expect(refused).toMatchObject(refusal);
    expect(refused.body).toMatchObject({
      errors: [{ field: 'model', message: expect.stringContaining('no such model') }],
    });
    endpoint.failsWith(null);
    const elsewhere = { organizationId: home.organizationId, projectId: newId('prj') };
    const body = { provider_id: provider, model: 'straight' };
    expect(await world.call('PUT', 'knowledge/meaning', body, elsewhere)).toMatchObject(refusal);
    expect((await world.call('PUT', 'knowledge/meaning', body, { scopes: ['knowledge:read'] })).status).toBe(403);
    expect((await meaning()).state).toBe('off');
  });

  it('keeps its provider from being deleted, and leaves no vector when it is turned off', async () => {
    await add('Refunds', 'We refund it.');
    await choose();
    await ready();
    const refused = await world.call('DELETE', `providers/${provider}`);
    expect(refused.body).toMatchObject({ code: 'provider_in_use' });
    expect((await world.call('DELETE', 'knowledge/meaning')).status).toBe(204);
    const left = async () => (await world.pool.query('SELECT FROM engine.chunk_vector')).rows.length;
    await until('the vectors are gone', async () => (await left()) === 0);
    expect(await titles('money back')).toEqual([]);
    expect((await titles('refund'))[0]).toBe('Refunds');
  });
});
