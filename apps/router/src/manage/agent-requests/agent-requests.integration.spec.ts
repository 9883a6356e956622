import { type AgentRequest, type AgentRequested, agentCallersOf, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home } from '#libs/testing';
import type { WholeTurn } from '../../path/handover/turn-handover.service.js';
import { type RouterWorld, routerWorld } from '../../testing/router-world.js';

let world: RouterWorld;
const agent = newId('agt');

beforeAll(async () => {
  world = await routerWorld();
  await world.start();
});
afterAll(() => world.close());

const take = async (asked: Partial<AgentRequest>) =>
  world.internal<AgentRequested<WholeTurn> & { code?: string }>('POST', 'agent-requests', {
    agent_id: agent,
    caller: 'key:partner',
    started_by: 'user:ada',
    text: 'Where is order 7?',
    message_id: newId('msg'),
    context_id: 'one',
    protocol: 'a2a',
    ...asked,
  });
const contactOf = (sender: string) =>
  world.row<{ contact_id: string; status: string }>(
    'SELECT contact_id, status FROM router.contact_identity WHERE app_id = $1 AND sender = $2',
    [agentCallersOf(home.projectId), sender],
  );

describe('a request to a published agent', () => {
  it('is a message of its caller, an untrusted contact, for that agent in the caller’s own conversation', async () => {
    const { status, body } = await take({});
    expect({ status, body }).toMatchObject({ status: 200, body: { repeated: false, refusal: null } });
    const { contact_id } = await contactOf('key:partner');
    expect(body.turn).toMatchObject({
      agent_id: agent,
      app_id: agentCallersOf(home.projectId),
      session: { contact_id, inbox_mode: 'queue' },
      input: {
        trust: 'unknown',
        contact_id,
        started_by: ['user:ada'],
        reply: null,
        reply_withheld: 'fetched',
        message: { event_type: 'agent_request', sender: 'key:partner', message: 'Where is order 7?' },
      },
    });
    const other = await take({ caller: 'key:second' });
    expect(other.body.turn?.session?.key).not.toBe(body.turn?.session?.key);
    expect((await take({})).body.turn?.session?.key).toBe(body.turn?.session?.key);
    const entries = await world.query<{ stage: string }>(
      `SELECT stage FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at, stage`,
      [body.receipt_id],
    );
    expect(entries.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['received', 'routed']));
  });

  it('is the same turn however often its message comes, and another text under it is refused', async () => {
    const [first, second] = await Promise.all([take({ message_id: 'm1' }), take({ message_id: 'm1' })]);
    const third = await take({ message_id: 'm1' });
    expect(new Set([first, second, third].map(({ body }) => body.turn?.turn_id)).size).toBe(1);
    expect([first, second].filter(({ body }) => body.repeated)).toHaveLength(1);
    expect(await take({ message_id: 'm1', text: 'Something else' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect((await take({ message_id: 'm1', caller: 'key:second' })).body.repeated).toBe(false);
  });

  it('is trusted as its contact is once that is admitted, and refused once it is blocked', async () => {
    await take({ caller: 'key:known' });
    const { contact_id } = await contactOf('key:known');
    expect((await world.call('POST', `contacts/${contact_id}/admit`)).status).toBe(200);
    expect((await take({ caller: 'key:known' })).body.turn?.input.trust).toBe('known');
    expect((await world.call('POST', `contacts/${contact_id}/block`)).status).toBe(200);
    expect((await take({ caller: 'key:known' })).body).toMatchObject({ turn: null, refusal: 'blocked' });
  });

  it('is not taken for a loop, however often its caller says the same', async () => {
    for (let n = 0; n < 30; n += 1) expect((await take({ text: 'Status?' })).body.turn).not.toBeNull();
  });
});
