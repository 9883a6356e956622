import { newId } from '#libs/contracts';
import { type EventResult, Journal } from '#libs/journal';
import { until } from '#libs/testing';
import type { SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import { type PathWorld, pathWorld } from './path-world.js';

let world: PathWorld;
let appId: string;

beforeAll(async () => {
  world = await pathWorld();
  appId = await world.channel({ unknown_senders: 'open', inbox_mode: 'collect', reply_address: 'room' });
});
afterAll(() => world.close());

const journal = () => world.router.get(Journal, { strict: false });
const route = async (over: { sender?: string; app?: string } = {}) => {
  const message = { sender: over.sender ?? newId('req'), message: newId('req') };
  const [turn] = await world.turnsOf(await world.receive(over.app ?? appId, message));
  if (!turn) throw new Error('the message has no turn');
  await record(turn, { stage: 'received', outcome: 'accepted', subject_id: null });
  return turn;
};
const record = (turn: SessionTurnView, entry: object) =>
  journal().appendNow({
    receipt_id: turn.receipt_id,
    organization_id: turn.organization_id,
    project_id: turn.project_id,
    app_id: turn.app_id,
    stage: 'turn',
    outcome: 'running',
    subject_id: turn.id,
    ...entry,
  });
const resultOf = async ({ receipt_id }: Pick<SessionTurnView, 'receipt_id'>) => {
  const { body } = await world.call<{ result: EventResult; outcome: string }>('GET', `events/${receipt_id}`);
  const listed = await world.call<{ data: { id: string; result: EventResult }[] }>(
    'GET',
    `events?result=${body.result.state}`,
  );
  expect(listed.body.data.find(({ id }) => id === receipt_id)?.result).toEqual(body.result);
  return body.result;
};

describe('the result of an event', () => {
  it('is shown for one whose turn failed, with the reason in words and what to do', async () => {
    const turn = await route();
    expect(await resultOf(turn)).toMatchObject({ state: 'working' });
    await world.finish(turn.id, { state: 'failed', error: 'context_length' });
    expect(await resultOf(turn)).toEqual({
      state: 'failed',
      reason: 'context_length',
      until: null,
      text: 'A turn failed. Its dead letter can be redriven. The conversation is too long for the model, even shortened: choose a model with a larger context. It said: as the test says.',
    });
  });

  it('says that it waits, for what and until when', async () => {
    const turn = await route();
    const end = '2030-01-01T00:00:00.000Z';
    await record(turn, { outcome: 'held', reason: 'model_unavailable', detail: { until: end } });
    expect(await resultOf(turn)).toMatchObject({ state: 'waiting', reason: 'model_unavailable', until: end });
    await record(turn, { reason: 'tool_called', at: new Date(Date.now() + 5) });
    expect(await resultOf(turn)).toMatchObject({ state: 'working' });
  });

  it('says that nothing was sent, and why', async () => {
    const turn = await route();
    await world.finish(turn.id, { state: 'succeeded', reason: 'no_address' });
    expect(await resultOf(turn)).toMatchObject({ state: 'no_reply', reason: 'no_address' });
  });

  it.each([
    [null, 'delivering'],
    ['retrying', 'delivering'],
    ['delivered', 'delivered'],
    ['dead', 'undelivered'],
    ['unknown', 'unconfirmed'],
    ['expired', 'expired'],
  ])('is the state of its reply: %s is %s', async (outcome, state) => {
    const turn = await route();
    const delivery_id = newId('dlv');
    await record(turn, { outcome: 'succeeded', detail: { reply: 'sent', delivery_id } });
    await record(turn, { stage: 'delivery', outcome: 'dead', subject_id: newId('dlv') });
    if (outcome) await record(turn, { stage: 'delivery', outcome, subject_id: delivery_id });
    expect(await resultOf(turn)).toMatchObject({ state });
  });

  it('says when a reply that waits is sent again, and why it waits', async () => {
    const turn = await route();
    const [delivery_id, next_at] = [newId('dlv'), '2030-01-01T00:00:00.000Z'];
    await record(turn, { outcome: 'succeeded', detail: { reply: 'sent', delivery_id } });
    const failed = { stage: 'delivery', outcome: 'retrying', reason: 'rate_limited', subject_id: delivery_id } as const;
    await record(turn, { ...failed, detail: { next_at } });
    const text = 'The reply waits to be sent again.';
    expect(await resultOf(turn)).toMatchObject({ state: 'delivering', reason: 'rate_limited', until: next_at, text });
  });

  it('says what a reply waits for that only a person can do', async () => {
    const turn = await route();
    const delivery_id = newId('dlv');
    await record(turn, { outcome: 'succeeded', detail: { reply: 'sent', delivery_id } });
    const waits = {
      stage: 'delivery',
      outcome: 'retrying',
      reason: 'needs_reconnect',
      subject_id: delivery_id,
    } as const;
    await record(turn, { ...waits, detail: { next_at: '2030-01-01T00:00:00.000Z' } });
    const text = 'The reply waits until the credential of its App is connected again.';
    expect(await resultOf(turn)).toMatchObject({ state: 'delivering', reason: 'needs_reconnect', until: null, text });
  });

  it('is that of the turn that it was answered with', async () => {
    const sender = newId('req');
    const busy = await route({ sender });
    const [collected, last] = [await route({ sender }), await route({ sender })];
    expect(await resultOf(last)).toMatchObject({ state: 'waiting', reason: 'session_busy' });
    await world.finish(busy.id, { state: 'succeeded', reason: 'no_address' });
    await world.finish(last.id, { state: 'failed', error: 'empty_answer' });
    // The timeline reports collected messages only after the turns are committed.
    const shown = await until('it shows where the event was answered', async () => {
      const result = await resultOf(collected);
      return result.state === 'waiting' ? null : result;
    });
    expect(shown).toMatchObject({ state: 'failed', reason: 'empty_answer' });
  });

  it('is nothing for an event without turns, or of another project', async () => {
    const quiet = await world.channel({ unknown_senders: 'open', route_policy: 'triggers' });
    const receipt = await world.receive(quiet, {});
    const { body } = await world.call<{ result: null }>('GET', `events/${receipt}`);
    expect(body.result).toBeNull();
    const turn = await route();
    await world.query(`UPDATE router.message SET project_id = 'prj_other' WHERE receipt_id = $1`, [turn.receipt_id]);
    const other = await world.call<{ result: null }>('GET', `events/${turn.receipt_id}`);
    expect(other.body.result).toBeNull();
  });

  it('is refused by name where the filter names an unknown one', async () => {
    expect((await world.call('GET', 'events?result=fine')).status).toBe(422);
  });
});
