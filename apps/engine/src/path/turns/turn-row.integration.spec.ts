import { newId, type ReplyTarget, type TurnInput } from '#libs/contracts';
import { type EngineWorld, engineWorld, rehearsal, sessionOf, turnOf } from '../../testing/engine-world.js';
import { turnsOf } from '../../testing/turns-of.js';
import { ReplyOfferService } from '../replies/reply-offer.service.js';
import { type NewStep, StepLog } from '../steps/step-log.js';
import { StepRepository } from '../steps/step.repository.js';
import { type TurnEnding, TurnEndingRepository } from './turn-ending.repository.js';
import { TurnRepository } from './turn.repository.js';

describe('the row of a turn that succeeded', () => {
  let world: EngineWorld;
  let turns: TurnRepository;
  let endings: TurnEndingRepository;
  let steps: StepRepository;
  let offers: ReplyOfferService;

  beforeAll(async () => {
    world = await engineWorld();
    const engine = await world.start(rehearsal);
    turns = engine.get(TurnRepository, { strict: false });
    endings = engine.get(TurnEndingRepository, { strict: false });
    steps = engine.get(StepRepository, { strict: false });
    offers = engine.get(ReplyOfferService, { strict: false });
  });
  afterAll(() => world.close());

  const row = (id: string) => turnsOf(world).row(id);
  const rowsOfSteps = async (id: string): Promise<number> =>
    (await world.pool.query('SELECT FROM engine.step WHERE turn_id = $1', [id])).rows.length;
  const answered = {
    text: 'It left today.',
    tool_calls: [],
    model: 'desk/gpt',
    finish_reason: 'stop',
    cost_micros: 12,
  };
  const step: NewStep = { seq: 1, kind: 'model_call', content: answered, tokens: 34, duration_ms: 812.25 };

  /** Ends a new turn with these steps. @returns its id */
  async function ended(
    new_steps: NewStep[],
    over: Partial<TurnEnding> = {},
    input: Partial<TurnInput> = {},
    given: Parameters<typeof turnOf>[0] = {},
  ): Promise<string> {
    const turn = turnOf(given, input);
    expect(await turns.claim(turn, `engine_${turn.turn_id}`)).toMatchObject({ state: 'claimed' });
    const ending: TurnEnding = {
      turn_id: turn.turn_id,
      claim: 1,
      session_id: null,
      organization_id: turn.organization_id,
      project_id: turn.project_id,
      reply_text: answered.text,
      output: null,
      reason: null,
      steps: new_steps.length + 1,
      tokens: 34,
      cost_micros: 12,
      agent_id: 'agt_1',
      agent_version: 1,
      contact_id: '',
      content_trust: 'own',
      new_steps,
      answer_id: newId('dlv'),
      ...over,
    };
    expect(await endings.end(ending, [])).toMatchObject({ ended: true });
    return turn.turn_id;
  }

  it.each([
    ['that is as most are', {}],
    ['that reached its length', { finish_reason: 'length' }],
    ['with more to say', { cached_tokens: 3, instead_of: [{ model: 'a', key: 'b', code: 'c', why: 'd' }] }],
  ])('has its only step, one %s, which is read as it was', async (_title, more) => {
    const content = { ...answered, ...more };
    const id = await ended([{ ...step, content }]);
    expect(await rowsOfSteps(id)).toBe(0);
    const { ended_at, only_step } = await row(id);
    expect(JSON.stringify(only_step)).not.toContain('It left today.');
    const read = { turn_id: id, seq: 1, kind: 'model_call', content, tokens: 34, duration_ms: 812.25 };
    expect(await steps.of(id)).toEqual([{ ...read, created_at: ended_at }]);
    expect(new StepLog(await steps.of(id), () => Promise.resolve(true)).next).toBe(2);
  });

  it.each<[string, NewStep[], Partial<TurnEnding>]>([
    [
      'of two steps',
      [
        { ...step, tokens: 0 },
        { ...step, seq: 2 },
      ],
      {},
    ],
    ['whose reply was cleaned', [step], { reply_text: 'It left.' }],
    ['that has another step stored', [step], { steps: 3 }],
    ['of an attempt after another one', [{ ...step, seq: 4 }], {}],
    ['that spent more beside', [step], { cost_micros: 13 }],
    ['with much to say', [{ ...step, content: { ...answered, attachments: 'x'.repeat(600) } }], {}],
    ['whose step says no finish', [{ ...step, content: { ...answered, finish_reason: undefined } }], {}],
    ['that called a tool', [{ ...step, content: { ...answered, tool_calls: [{ id: '1', name: 'a' }] } }], {}],
  ])('has no step of a turn %s: these are rows, and read as they were', async (_title, given, over) => {
    const id = await ended(given, over);
    expect((await row(id)).only_step).toBeNull();
    expect(await rowsOfSteps(id)).toBe(given.length);
    const read = (await steps.of(id)).map(({ created_at: _at, turn_id: _turn, ...each }) => each);
    expect(read).toEqual(JSON.parse(JSON.stringify(given)));
  });

  it('counts usage of a step without a row, once', async () => {
    const agent_id = newId('agt');
    const spent = { model: 'desk/gpt', input_tokens: 30, output_tokens: 4, cost_micros: 12 };
    await ended([{ ...step, spent }], { agent_id });
    const sql = 'SELECT model_calls, input_tokens, output_tokens FROM engine.usage WHERE agent_id = $1';
    const { rows } = await world.pool.query(sql, [agent_id]);
    expect(rows).toEqual([{ model_calls: 1, input_tokens: '30', output_tokens: '4' }]);
  });

  it('is emptied of its step by an erasure, which counts it', async () => {
    const receipt_id = newId('evt');
    const id = await ended([step], {}, {}, { receipt_id });
    await world.pool.query(`UPDATE engine.turn SET ended_at = ended_at - interval '30 seconds' WHERE id = $1`, [id]);
    const { body } = await world.internal<{ erased: { steps: number } }>('POST', 'erasures', {
      by: 'user:a',
      receipt_ids: [receipt_id],
      own_receipt_ids: [receipt_id],
      message_ids: [],
    });
    expect(body).toMatchObject({ erased: { turns: 1, steps: 1 } });
    expect(await steps.of(id)).toEqual([]);
  });

  const target = (app_id: string, more: Partial<ReplyTarget> = {}): ReplyTarget => ({
    app_id,
    channel_address: 'room-1',
    thread_id: null,
    reply_context: null,
    ...more,
  });
  it.each([
    ['what its own App and nulls say', target('app_1'), ['channel_address']],
    ['another App', target('app_2'), ['app_id', 'channel_address']],
    [
      'a thread and nulls of a context',
      target('app_1', { thread_id: 't1', reply_context: { a: null, b: [null] }, hops: 2, by_channel: true }),
      ['by_channel', 'channel_address', 'hops', 'reply_context', 'thread_id'],
    ],
  ])('has a target that is offered again as it was: %s', async (_title, reply, kept) => {
    const id = await ended([step], {}, { reply }, { app_id: 'app_1' });
    const { input } = await row(id);
    expect(Object.keys(input.reply).sort()).toEqual(kept);
    expect(Object.keys(input).sort()).toEqual(['reply', 'trust', 'verified']);
    const [offered] = await offers.ofTurns([id]);
    expect(offered?.content).toEqual({ text: answered.text, target: reply });
  });

  it('offers a reply to nobody where it had no target', async () => {
    const id = await ended([step], { answer_id: null }, { reply: null, reply_withheld: 'no_address' });
    expect((await row(id)).input).toMatchObject({ reply: null, reply_withheld: 'no_address' });
    expect(await offers.ofTurns([id])).toEqual([]);
  });

  it('of a conversation is shown to later turns with its App and its instructions', async () => {
    const session = sessionOf(newId('ses'));
    const first = turnOf({ session }, { instructions: 'Be brief.' });
    const second = turnOf({ session, app_id: first.app_id });
    await turnsOf(world).run(first);
    await turnsOf(world).run(second);
    expect((await row(second.turn_id)).input.reply).toEqual({ channel_address: 'room-1' });
    const third = turnOf({ session, app_id: first.app_id });
    await turnsOf(world).run(third);
    expect((await turns.memoryOf(third.turn_id)).past.map(({ input }) => input)).toEqual([first.input, second.input]);
  });

  it('of before is read as well: its step has a row, and its target is whole', async () => {
    const id = await ended(
      [
        { ...step, seq: 1 },
        { ...step, seq: 2, tokens: 0 },
      ],
      {},
      {},
      { app_id: 'app_1' },
    );
    const whole = JSON.stringify(target('app_1'));
    await world.pool.query(`UPDATE engine.turn SET input = jsonb_set(input, '{reply}', $2) WHERE id = $1`, [id, whole]);
    await world.pool.query('DELETE FROM engine.step WHERE turn_id = $1 AND seq = 2', [id]);
    expect(await steps.of(id)).toMatchObject([{ seq: 1, content: answered, tokens: 34, duration_ms: 812.25 }]);
    expect((await offers.ofTurns([id]))[0]?.content.target).toEqual(target('app_1'));
  });
});
