import { newId } from '#libs/contracts';
import { caller } from '../../apps/router/src/testing/router-world.js';
import { type PathWorld, pathWorld } from './path-world.js';

interface Ids {
  data: { id: string }[];
  next_cursor: string | null;
}

const lists = ['sessions', 'runs', 'approvals', 'contacts', 'held-messages', 'knowledge'];

describe('a paginated list', () => {
  let world: PathWorld;

  beforeAll(async () => {
    world = await pathWorld();
    const app_id = await world.channel({ unknown_senders: 'open' });
    const workflow = await world.call<{ id: number }>('POST', 'workflows', { name: 'w', instructions: 'read' });
    await world.call('POST', 'triggers', { app_id, workflow_id: workflow.body.id });
    const strangers = await world.channel({ unknown_senders: 'hold' });
    for (const thread_id of ['a', 'b', 'c', 'd', 'e']) {
      await world.receive(strangers, { sender: thread_id });
      await world.call('POST', 'knowledge', { title: thread_id, text: `About ${thread_id}.` });
      const receiptId = await world.receive(app_id, { thread_id });
      await world.query(
        `INSERT INTO engine.approval (id, organization_id, project_id, agent_id, turn_id, receipt_id, app_id, call_ref,
                                      tool, grade, arguments, approvers, state, expires_at)
         VALUES ($1, $2, $3, 'agt_1', $4, $5, $6, 'c', 'pay', 'write', '{}', '{}', 'pending', now() + interval '1 hour')`,
        [newId('apr'), caller.organizationId, caller.projectId, newId('trn'), receiptId, app_id],
      );
    }
  });
  afterAll(() => world.close());

  async function whole(list: string, query: string): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `${list}?limit=2${query}${cursor && `&cursor=${cursor}`}`;
      const page: Ids = (await world.call<Ids>('GET', path)).body;
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    return ids;
  }

  it.each(lists)('can be read from its other end by ?order=asc: %s', async (list) => {
    const newestFirst = await whole(list, '');
    expect(newestFirst.length).toBeGreaterThanOrEqual(5);
    expect(newestFirst).toEqual(newestFirst.toSorted().reverse());
    expect(await whole(list, '&order=desc')).toEqual(newestFirst);
    expect(await whole(list, '&order=asc')).toEqual(newestFirst.toReversed());
  });

  it('refuses an unknown order, and says which exist', async () => {
    const { status, body } = await world.call<{ errors: { field: string; message: string }[] }>('GET', 'runs?order=up');
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: 'order', message: expect.stringContaining('desc, asc') }]);
  });
});
