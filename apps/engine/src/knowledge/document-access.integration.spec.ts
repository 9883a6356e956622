import { newId } from '#libs/contracts';
import { home } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../testing/engine-world.js';
import { agentOf, turnsOf } from '../testing/turns-of.js';

const ana = 'con_ana';
const bob = 'con_bob';
const message = { event_type: 'message', sender: 'ana', message: 'hello', is_bot: false };

describe('a document that only some may read', () => {
  let world: EngineWorld;
  let agent: string;
  let away = false;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['knowledge:write'] });
    await world.start({ ROUTER_URL: world.services.url });
    const readsAs: Record<string, string[]> = {
      [ana]: ['ana@example.com', 'group:finance'],
      [bob]: ['bob@example.com'],
    };
    for (const [contact, reads_as] of Object.entries(readsAs)) {
      world.services.on(`/internal/contacts/${contact}/reads-as`, () =>
        away ? { status: 503, code: 'service_unavailable' } : { reads_as },
      );
    }
    agent = await agentOf(world, { tools: ['query_knowledge_graph', 'read_file', 'store_knowledge'] });
  });
  afterAll(() => world.close());
  beforeEach(() => {
    away = false;
  });

  const add = async (title: string, text: string, readers: string[]) =>
    (await world.call('POST', 'knowledge', { title, text, audience: 'listed', readers })).body;
  const private_ = (contact_id: string) => ({ contact_id, message: { ...message, is_dm: true } });
  const called = async (name: string, args: object, input: object) => {
    world.model.script([{ name, arguments: JSON.stringify(args) }], 'Done.');
    const turn = turnOf({ agent_id: agent }, input);
    await turnsOf(world).run(turn);
    return (await turnsOf(world).results(turn.turn_id)).at(-1);
  };
  const titles = async (query: string, input: object) =>
    (await called('query_knowledge_graph', { query }, input)).documents.map(({ title }: { title: string }) => title);

  it('is found and read by the turn of a contact who reads as one of them, in private, and by no other', async () => {
    const { id } = await add('Salaries', 'The zebra earns five.', ['Group:Finance']);
    await add('Note for Bob', 'Bob owns a zebra.', ['bob@example.com']);
    await add('Nobody', 'A zebra of nobody.', []);
    await world.call('POST', 'knowledge', { title: 'Zebras', text: 'The zebra is striped.' });
    expect((await titles('zebra', private_(ana))).toSorted()).toEqual(['Salaries', 'Zebras']);
    expect((await titles('zebra', private_(bob))).toSorted()).toEqual(['Note for Bob', 'Zebras']);
    expect((await called('read_file', { document_id: id }, private_(ana))).text).toBe('The zebra earns five.');
    const others = [
      private_(bob),
      { contact_id: ana },
      { contact_id: ana, message: { ...message, is_dm: false } },
      { ...private_(ana), trust: 'unknown' },
      { ...private_(ana), verified: false },
      { message: { ...message, is_dm: true } },
      private_('con_none'),
    ];
    for (const input of others) {
      expect(await titles('zebra', input)).not.toContain('Salaries');
      expect((await called('read_file', { document_id: id }, input)).error.code).toBe('document_not_found');
    }
    const found = (await world.call('GET', 'knowledge/search?q=zebra')).body.data.map(({ title }) => title);
    expect(found.toSorted()).toEqual(['Nobody', 'Note for Bob', 'Salaries', 'Zebras']);
  });

  it('keeps its readers when the same text is added for others, who are shown which document has it', async () => {
    const body = { title: 'Wages', text: 'The quail earns six.' };
    const readers = ['ana@example.com', 'group:hr'];
    const listed = { ...body, audience: 'listed', readers } as const;
    const { id } = (await world.call('POST', 'knowledge', listed)).body;
    const repeated = await world.call('POST', 'knowledge', { ...listed, readers: readers.toReversed() });
    expect([repeated.status, repeated.body.id]).toEqual([201, id]);
    for (const other of [body, { ...body, audience: 'everyone' }, { ...listed, readers: ['bob@example.com'] }]) {
      const refused = await world.call('POST', 'knowledge', other);
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'document_access_differs', detail: expect.stringContaining(`PATCH /api/v1/knowledge/${id}`) },
      });
    }
    expect((await world.call('GET', `knowledge/${id}`)).body).toMatchObject({ audience: 'listed', readers });
  });

  it('is left out, and the call says so, while nobody can say as whom the contact reads', async () => {
    await add('Budget', 'The okapi costs ten.', ['ana@example.com']);
    away = true;
    const result = await called('query_knowledge_graph', { query: 'okapi' }, private_(ana));
    expect(result.documents).toEqual([]);
    expect(result.note).toContain('only some people may read were left out');
  });

  it('states facts that only they are shown', async () => {
    const relations = [{ from: 'Acme', relation: 'buys', to: 'Mill' }];
    const body = { title: 'Plan', text: 'Secret plan.', audience: 'listed', readers: ['ana@example.com'], relations };
    await world.call('POST', 'knowledge', body);
    expect((await called('query_knowledge_graph', { entity: 'Acme' }, private_(ana))).relations).toHaveLength(1);
    expect((await called('query_knowledge_graph', { entity: 'Acme' }, private_(bob))).entity).toBeNull();
  });

  it('passes its readers on to what a conversation that has read it stores', async () => {
    await add('Offer', 'The quokka offer is nine.', ['ana@example.com', 'group:finance']);
    await add('Counteroffer', 'The quokka counteroffer is eight.', ['ana@example.com']);
    const search = { name: 'query_knowledge_graph', arguments: JSON.stringify({ query: 'quokka' }) };
    const store = { name: 'store_knowledge', arguments: JSON.stringify({ text: 'Quokka: between eight and nine.' }) };
    world.model.script([search], [store], 'Done.');
    const turn = turnOf({ agent_id: agent }, private_(ana));
    await turnsOf(world).run(turn);
    const { document_id: id } = (await turnsOf(world).results(turn.turn_id)).at(-1);
    expect((await world.call('GET', `knowledge/${id}`)).body).toMatchObject({
      audience: 'listed',
      readers: ['ana@example.com'],
    });
  });

  it('is given other readers by hand, which the audit log has, but not where a source keeps it', async () => {
    const { id } = await add('Minutes', 'The narwhal met.', ['ana@example.com']);
    const set = await world.call('PATCH', `knowledge/${id}`, {
      audience: 'listed',
      readers: [' BOB@example.com', 'bob@example.com'],
    });
    expect(set.body).toMatchObject({ audience: 'listed', readers: ['bob@example.com'] });
    expect(await titles('narwhal', private_(ana))).toEqual([]);
    expect(await titles('narwhal', private_(bob))).toEqual(['Minutes']);
    await world.call('PATCH', `knowledge/${id}`, { audience: 'everyone' });
    expect(await titles('narwhal', { trust: 'unknown' })).toEqual(['Minutes']);
    const { rows } = await world.pool.query(
      'SELECT action, before, after FROM engine.audit WHERE subject = $1 ORDER BY id',
      [id],
    );
    expect(rows[0]).toEqual({
      action: 'document.access_set',
      before: { audience: 'listed', readers: ['ana@example.com'] },
      after: { audience: 'listed', readers: ['bob@example.com'] },
    });
    for (const wrong of [
      { audience: 'listed', readers: ['finance'] },
      { audience: 'known', readers: ['ana@example.com'] },
      { audience: 'secret' },
    ])
      expect((await world.call('PATCH', `knowledge/${id}`, wrong)).status).toBe(422);
    const elsewhere = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await world.call('PATCH', `knowledge/${id}`, { audience: 'known' }, elsewhere)).status).toBe(404);
    expect(
      (await world.call('PATCH', `knowledge/${id}`, { audience: 'known' }, { scopes: ['knowledge:read'] })).status,
    ).toBe(403);
    const synced = {
      revision: 1,
      removed: false,
      path: 'a.md',
      content_base64: Buffer.from('Synced narwhal.').toString('base64'),
      trust: 'owner',
      audience: 'listed',
      readers: ['ana@example.com'],
      provenance: {},
    };
    const { document_id } = (await world.internal('PUT', `synced-documents/${newId('sdoc')}`, synced)).body;
    expect(await titles('synced', private_(ana))).toContain('a.md');
    expect(await titles('synced', private_(bob))).not.toContain('a.md');
    const refused = await world.call('PATCH', `knowledge/${document_id}`, { audience: 'everyone' });
    expect(refused.body).toMatchObject({ status: 409, code: 'document_of_source' });
  });
});
