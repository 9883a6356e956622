import { newId, type TurnInput, type TurnOfSession } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const plain = (content: string): string =>
  JSON.stringify({
    choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  });

describe('a long conversation', () => {
  let world: EngineWorld;
  let model: FakeModel;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['channels:write', 'channels:read', 'events:read'] });
    ({ model } = world);
    await world.start({ MODEL_STREAMING: 0 });
  });
  afterAll(() => world.close());
  beforeEach(() => {
    model.hasRoomFor(Number.POSITIVE_INFINITY);
    model.script();
    model.summary(null);
    // It knows what it is shown and nothing else, as a model does, and summarises by keeping what is about the code.
    model.always((response) => {
      const messages = JSON.stringify(model.requests.at(-1)?.messages);
      const code = /locker code is (\d{4})/.exec(messages)?.[1];
      const summarises = messages.includes('You keep the memory');
      const reply = summarises ? `Ada said: my locker code is ${code ?? 'not known'}.` : `code: ${code ?? 'unknown'}`;
      response.setHeader('content-type', 'application/json').end(plain(reply));
    });
  });

  const say = async (session: TurnOfSession, agent_id: string, text: string, more: Partial<TurnInput> = {}) => {
    const message = { event_type: 'message', sender: 'ada', message: text, is_bot: false, metadata: {} };
    return turnsOf(world).run(turnOf({ session, agent_id }, { message, ...more }));
  };
  const summaryOf = async (sessionId: string) =>
    (await world.pool.query('SELECT * FROM engine.session_summary WHERE session_id = $1', [sessionId])).rows[0];

  it('knows in message 60 what message 2 said, and shows what it keeps', async () => {
    const session = sessionOf(newId('ses'));
    const agent_id = await agentOf(world, {});
    await say(session, agent_id, 'Hello.');
    await say(session, agent_id, 'My locker code is 7319, please keep it.');
    for (let count = 3; count < 60; count += 1) await say(session, agent_id, `Message ${count}.`);
    const last = await say(session, agent_id, 'What is my code?');
    expect(last).toMatchObject({ state: 'succeeded', reply_text: 'code: 7319' });
    // At messages 22, 33, 44 and 55: the window of 20 is halved each time.
    const calls = model.requests.filter(({ messages }) => messages[0]?.content?.includes('You keep the memory'));
    expect(calls).toHaveLength(4);
    expect(model.requests).toHaveLength(64);
    expect(await summaryOf(last.session_id)).toMatchObject({ turns: 44, model: 'fake', content_trust: 'own' });
    const { body } = await world.call('GET', `sessions/${last.session_id}`);
    expect(body.summary).toMatchObject({ text: 'Ada said: my locker code is 7319.', turns: 44, corrected_by: null });
    // What summarising used is part of the turn.
    const { rows } = await world.pool.query(
      "SELECT t.tokens, s.content FROM engine.step s JOIN engine.turn t ON t.id = s.turn_id WHERE t.session_id = $1 AND s.content ->> 'discarded' = 'summary'",
      [last.session_id],
    );
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({ tokens: 30, content: { summarised_turns: 11 } });
  }, 120_000);

  const longOf = async (first: string, more: Partial<TurnInput> = {}) => {
    const session = sessionOf(newId('ses'));
    const agent_id = await agentOf(world, {});
    await say(session, agent_id, first, more);
    let last;
    for (let count = 2; count < 23; count += 1) last = await say(session, agent_id, `Message ${count}.`, more);
    return { session, agent_id, id: String(last.session_id) };
  };

  it('keeps the mark of what its summary was made from, whoever corrects it, and shows the correction', async () => {
    const { session, agent_id, id } = await longOf('My locker code is 1111.', { trust: 'unknown' });
    expect(await summaryOf(id)).toMatchObject({ content_trust: 'untrusted', turns: 11 });
    const path = `sessions/${id}/summary` as const;
    const other = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await world.call('PUT', path, { text: 'x' }, other)).status).toBe(404);
    const corrected = await world.call('PUT', path, { text: 'The locker code is 2222.' });
    expect(corrected).toMatchObject({
      status: 200,
      body: { text: 'The locker code is 2222.', corrected_by: 'key:test' },
    });
    expect(await summaryOf(id)).toMatchObject({ content_trust: 'untrusted' });
    expect(await say(session, agent_id, 'Which?')).toMatchObject({ reply_text: 'code: 2222' });
    const shown = model.requests.at(-1)?.messages;
    expect(shown?.[0]?.content).not.toContain('2222');
    expect(shown?.[1]?.content).toMatch(/^\[external \w{16}\]\nsource: summary\n/);
    await world.call('PUT', path, { text: '' });
    expect(await say(session, agent_id, 'Which?')).toMatchObject({ reply_text: 'code: unknown' });
  }, 60_000);

  it('leaves out what its turns have read and is less trusted than what people wrote, so that its mark ends', async () => {
    const { session, agent_id, id } = await longOf('My locker code is 3333.');
    await world.pool.query(
      "UPDATE engine.turn SET content_trust = 'untrusted', reply_text = 'the locker code is 6666' WHERE session_id = $1",
      [id],
    );
    for (let count = 0; count < 12; count += 1) await say(session, agent_id, `Message ${count}.`);
    expect(await summaryOf(id)).toMatchObject({ content_trust: 'own', turns: 22 });
    const asked = model.requests.findLast(({ messages }) => messages[0]?.content?.includes('You keep the memory'));
    expect(asked?.messages[1]?.content).toContain('Message 12.');
    expect(asked?.messages[1]?.content).not.toContain('6666');
  }, 60_000);

  it('answers 404 for a summary that is not there yet', async () => {
    const { session_id } = await say(sessionOf(newId('ses')), await agentOf(world, {}), 'Hello.');
    expect(await world.call('PUT', `sessions/${session_id}/summary`, { text: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'summary_not_found' },
    });
  });

  it('goes on with its newest turns where the model gives no summary, and says so', async () => {
    model.always((response) => {
      const summarises = JSON.stringify(model.requests.at(-1)?.messages).includes('You keep the memory');
      const body = summarises ? plain('').replace('stop', 'content_filter') : plain('fine');
      response.setHeader('content-type', 'application/json').end(body);
    });
    const { id } = await longOf('Hello.');
    expect(await summaryOf(id)).toBeUndefined();
    const detail = await until('the timeline says why', async () => {
      const { rows } = await world.pool.query(
        `SELECT detail FROM ${everyEntry} e WHERE reason = 'conversation_compacted' AND subject_id IN (SELECT id FROM engine.turn WHERE session_id = $1)`,
        [id],
      );
      return rows[0]?.detail;
    });
    expect(detail).toMatchObject({ turns: 11, error: expect.stringContaining('content-filter') });
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'assistant')).toHaveLength(20);
  }, 60_000);

  it('remembers what a model refused as too long, so that later turns are not refused', async () => {
    const session = sessionOf(newId('ses'));
    const agent_id = await agentOf(world, { model: 'small' });
    const room = 14_000;
    model.hasRoomFor(room);
    await say(session, agent_id, 'My locker code is 4242.');
    for (let count = 2; count < 30; count += 1)
      await say(session, agent_id, `Message ${count}. ${'words '.repeat(200)}`);
    expect(await say(session, agent_id, 'What is my code?')).toMatchObject({ state: 'succeeded' });
    const refused = model.requests.filter(({ messages }) => JSON.stringify(messages).length > room);
    expect(refused.length).toBeLessThanOrEqual(2);
    const sql = "SELECT chars FROM engine.model_window WHERE model = 'small'";
    expect((await world.pool.query(sql)).rows[0].chars).toBeLessThan(room);
  }, 60_000);

  it('shows earlier messages without their metadata, and in the same words each time', async () => {
    const session = sessionOf(newId('ses'));
    const agent_id = await agentOf(world, {});
    const metadata = { order: 'A-17' };
    const message = { event_type: 'message', sender: 'ada', message: 'Where is it?', is_bot: false, metadata };
    await turnsOf(world).run(turnOf({ session, agent_id }, { message }));
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('A-17');
    await say(session, agent_id, 'And now?');
    const second = model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(second)).not.toContain('A-17');
    await say(session, agent_id, 'And today?');
    const third = model.requests.at(-1)?.messages ?? [];
    expect(third.slice(0, second.length)).toEqual(second);
  });
});
