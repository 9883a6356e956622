import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import type { SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import type { Turn } from '../../apps/engine/src/entities/turn.entity.js';
import { caller } from '../../apps/router/src/testing/router-world.js';
import { type PathWorld, pathWorld } from './path-world.js';

interface Letter {
  id: string;
  state: string;
  outcome: string | null;
  stage: string;
}

let world: PathWorld;
let appId: string;

beforeAll(async () => {
  world = await pathWorld();
  appId = await world.channel({ unknown_senders: 'open', inbox_mode: 'collect', reply_address: 'room' });
});
afterAll(() => world.close());

const path = 'events/dead-letters';
const turnOf = async (receiptId: string): Promise<SessionTurnView> => {
  const [turn] = await world.turnsOf(receiptId);
  if (!turn) throw new Error(`the receipt ${receiptId} has no turn`);
  return turn;
};
const letterOf = async (receiptId: string, state = 'open') =>
  (
    await world.call<{ data: (Letter & { receipt_id: string })[] }>('GET', `${path}?stage=turn&state=${state}`)
  ).body.data.find((letter) => letter.receipt_id === receiptId);
const makeDue = () => world.query('UPDATE journal.dead_letter SET next_at = now()');
const route = (sender: string) => world.receive(appId, { sender, message: newId('req') });
const fails = ({ id }: SessionTurnView) => world.finish(id, { state: 'failed', error: 'empty_answer' });
const succeeds = ({ id }: SessionTurnView) => world.finish(id);
const redrive = async (receiptId: string) => {
  const letter = await letterOf(receiptId);
  expect((await world.call('POST', `${path}/${letter?.id}/redrive`)).status).toBe(202);
  return letter?.id ?? '';
};
const settled = (id: string) =>
  until('the letter is settled', async () => {
    await makeDue();
    const { body } = await world.call<Letter>('GET', `${path}/${id}`);
    return body.state !== 'redriving' && body;
  });

describe('the dead letter of a turn', () => {
  it('reopens the same turn, once, and ends as the turn does', async () => {
    const receiptId = await route('ada');
    const first = await turnOf(receiptId);
    await fails(first);
    const letterId = await redrive(receiptId);
    const opened = await until('it is open', async () => {
      const turn = await turnOf(receiptId);
      return turn.state === 'open' && turn;
    });
    expect(opened).toMatchObject({ id: first.id, redrives: 1, error: null });
    expect(opened.epoch).toBeGreaterThan(first.epoch);
    // Whoever redrives it does not decide over what it asks for then.
    const startedBy = async () =>
      (await world.row<Turn>('SELECT * FROM engine.turn WHERE id = $1', [first.id])).input?.started_by;
    expect(await startedBy()).toEqual([caller.subject]);
    // The sweeper repeats its call.
    await makeDue();
    expect(await turnOf(receiptId)).toMatchObject({ state: 'open', redrives: 1 });
    await succeeds(first);
    expect(await settled(letterId)).toMatchObject({ state: 'redriven', outcome: 'succeeded' });
    expect(await turnOf(receiptId)).toMatchObject({ state: 'succeeded' });
  });

  it('is a new one when the turn fails again, and the first is settled', async () => {
    const receiptId = await route('bo');
    await fails(await turnOf(receiptId));
    const first = await redrive(receiptId);
    const opened = await until('it is open', async () => {
      const turn = await turnOf(receiptId);
      return turn.state === 'open' && turn;
    });
    await fails(opened);
    expect(await settled(first)).toMatchObject({ state: 'redriven', outcome: 'dead' });
    const second = await redrive(receiptId);
    expect(second).not.toBe(first);
    await until('it is open again', async () => (await turnOf(receiptId)).redrives === 2);
  });

  it('waits behind the turn that its session is busy with, and its message is answered alone', async () => {
    const receiptId = await route('cy');
    await fails(await turnOf(receiptId));
    const busyWith = await turnOf(await route('cy'));
    const behind = [await route('cy'), await route('cy')];
    await redrive(receiptId);
    await until('it waits', async () => (await turnOf(receiptId)).state === 'waiting');
    await succeeds(busyWith);
    // Its message was acknowledged before the others.
    expect(await turnOf(receiptId)).toMatchObject({ state: 'open', redrives: 1 });
    expect((await Promise.all(behind.map(turnOf))).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    await succeeds(await turnOf(receiptId));
    const [collected, answered] = await Promise.all(behind.map(turnOf));
    expect([collected?.state, answered?.state]).toEqual(['collected', 'open']);
  });

  it('waits while a person has taken over the session', async () => {
    const receiptId = await route('di');
    const turn = await turnOf(receiptId);
    await fails(turn);
    await world.call('POST', `sessions/${turn.session_id}/takeover`);
    const letterId = await redrive(receiptId);
    await until('it waits', async () => (await turnOf(receiptId)).state === 'waiting');
    await world.call('POST', `sessions/${turn.session_id}/hand-back`, {});
    expect(await settled(letterId)).toMatchObject({ state: 'redriven', outcome: 'handled' });
  });

  it('can be redriven together with others', async () => {
    const receipts = [await route('ed'), await route('fay')];
    for (const receiptId of receipts) await fails(await turnOf(receiptId));
    expect((await world.call('POST', `${path}/redrive`, { stage: 'turn' })).status).toBe(202);
    await until('both are open', async () =>
      (await Promise.all(receipts.map(turnOf))).every(({ state, redrives }) => state === 'open' && redrives === 1),
    );
  });

  it('is not accessible to another project', async () => {
    const receiptId = await route('hal');
    const turn = await turnOf(receiptId);
    await fails(turn);
    await world.query('UPDATE journal.dead_letter SET project_id = $2 WHERE subject_id = $1', [turn.id, newId('prj')]);
    expect(await letterOf(receiptId)).toBeUndefined();
  });
});

describe('a turn', () => {
  it('has the failure notice for its sender, as the channel says', async () => {
    const noticeOf = async (receiptId: string) => (await turnOf(receiptId)).input?.failure_notice;
    expect(await noticeOf(await route('ina'))).toBeUndefined();
    const reachable = await world.channel({ unknown_senders: 'open', reply_address: 'room', failure_notice: 'Sorry.' });
    const nowhere = await world.channel({ unknown_senders: 'open', failure_notice: 'Sorry.' });
    const routed = (app: string, metadata = {}) => world.receive(app, { metadata });
    expect(await noticeOf(await routed(reachable))).toBe('Sorry.');
    expect(await noticeOf(await routed(nowhere, { channel_address: null }))).toBeUndefined();
  });
});
