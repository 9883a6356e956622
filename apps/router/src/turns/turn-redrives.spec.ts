import { newId } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RoutingService } from '../routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-under-test.js';
import type { TurnRow } from './turn.entity.js';
import { TurnsService } from './turns.service.js';

interface Letter {
  id: string;
  state: string;
  outcome: string | null;
  stage: string;
}

let world: RouterWorld;
let router: NestFastifyApplication;
let turns: TurnsService;
let appId: string;

beforeAll(async () => {
  world = await routerWorld();
  router = await world.start();
  turns = router.get(TurnsService, { strict: false });
  appId = await world.channel({ unknown_senders: 'open', inbox_mode: 'collect', reply_address: 'room' });
});
afterAll(() => world.close());

const path = '/api/v1/events/dead-letters';
const turnOf = (receiptId: string) =>
  world.row<TurnRow>('SELECT * FROM router.turn WHERE receipt_id = $1 ORDER BY id LIMIT 1', [receiptId]);
const letterOf = async (receiptId: string, state = 'open') =>
  (
    await world.api<{ data: (Letter & { receipt_id: string })[] }>('GET', `${path}?stage=turn&state=${state}`)
  ).body.data.find((letter) => letter.receipt_id === receiptId);
const makeDue = () => world.rows('UPDATE journal.dead_letter SET next_at = now()');
const route = async (sender: string) => {
  const job = jobOf(appId, { sender, message: newId('req') });
  await router.get(RoutingService, { strict: false }).route(job, 1);
  return job.receipt_id;
};
/** Ends the turn as the engine does. */
const fails = async ({ id, receipt_id, organization_id, project_id, redrives }: TurnRow) => {
  const subject = { receipt_id, organization_id, project_id, app_id: appId, subject_id: id };
  await router
    .get(Journal, { strict: false })
    .appendNow({ ...subject, stage: 'turn', outcome: 'dead', reason: 'empty_answer' });
  await turns.finish([{ turn_id: id, state: 'failed', error: 'empty_answer', ...(redrives ? { redrives } : {}) }]);
};
const redrive = async (receiptId: string) => {
  const letter = await letterOf(receiptId);
  expect((await world.api('POST', `${path}/${letter?.id}/redrive`)).status).toBe(202);
  return letter?.id ?? '';
};
const settled = (id: string) =>
  until('the letter is settled', async () => {
    await makeDue();
    const { body } = await world.api<Letter>('GET', `${path}/${id}`);
    return body.state !== 'redriving' && body;
  });

describe('the dead letter of a turn', () => {
  it('opens the same turn again, once, and ends as it does', async () => {
    const receiptId = await route('ada');
    const first = await turnOf(receiptId);
    await fails(first);
    const letterId = await redrive(receiptId);
    const opened = await until('it is open', async () => {
      const turn = await turnOf(receiptId);
      return turn.state === 'open' && turn;
    });
    expect(opened).toMatchObject({ id: first.id, redrives: 1, error: null, epoch: first.epoch + 1 });
    // What the engine had said before is said again, and the sweeper comes again.
    await turns.finish([{ turn_id: first.id, state: 'failed', error: 'empty_answer' }]);
    await makeDue();
    expect(await turnOf(receiptId)).toMatchObject({ state: 'open', redrives: 1 });
    await turns.finish([
      { turn_id: first.id, state: 'succeeded', error: null, reply: 'sent', reason: null, redrives: 1 },
    ]);
    expect(await settled(letterId)).toMatchObject({ state: 'redriven', outcome: 'succeeded' });
    expect(await turnOf(receiptId)).toMatchObject({ state: 'succeeded', reply: 'sent' });
  });

  it('is another one when the turn fails again, and the first is settled', async () => {
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

  it('waits behind the turn that its session is busy with, and is answered with no other', async () => {
    const receiptId = await route('cy');
    await fails(await turnOf(receiptId));
    const busyWith = await turnOf(await route('cy'));
    const behind = [await route('cy'), await route('cy')];
    await redrive(receiptId);
    await until('it waits', async () => (await turnOf(receiptId)).state === 'waiting');
    await turns.finish([{ turn_id: busyWith.id, state: 'succeeded', error: null }]);
    const [collected, answered] = await Promise.all(behind.map(turnOf));
    expect([collected?.state, answered?.state, (await turnOf(receiptId)).state]).toEqual([
      'collected',
      'open',
      'waiting',
    ]);
    await turns.finish([{ turn_id: answered?.id ?? '', state: 'succeeded', error: null }]);
    expect(await turnOf(receiptId)).toMatchObject({ state: 'open', redrives: 1 });
  });

  it('waits while a person has the session', async () => {
    const receiptId = await route('di');
    const turn = await turnOf(receiptId);
    await fails(turn);
    await world.api('POST', `/api/v1/sessions/${turn.session_id}/takeover`);
    const letterId = await redrive(receiptId);
    await until('it waits', async () => (await turnOf(receiptId)).state === 'waiting');
    await world.api('POST', `/api/v1/sessions/${turn.session_id}/hand-back`, {});
    expect(await settled(letterId)).toMatchObject({ state: 'redriven', outcome: 'handled' });
  });

  it('is one of many that are redriven together', async () => {
    const receipts = [await route('ed'), await route('fay')];
    for (const receiptId of receipts) await fails(await turnOf(receiptId));
    expect((await world.api('POST', `${path}/redrive`, { stage: 'turn' })).status).toBe(202);
    await until('both are open', async () =>
      (await Promise.all(receipts.map(turnOf))).every(({ state, redrives }) => state === 'open' && redrives === 1),
    );
  });

  it('waits for the end of its turn, where the engine was heard of later than its letter', async () => {
    const receiptId = await route('gil');
    const turn = await turnOf(receiptId);
    const { organization_id, project_id, id } = turn;
    const subject = { receipt_id: receiptId, organization_id, project_id, app_id: appId, subject_id: id };
    await router.get(Journal, { strict: false }).appendNow({ ...subject, stage: 'turn', outcome: 'dead', reason: 'x' });
    await redrive(receiptId);
    await makeDue();
    await turns.finish([{ turn_id: id, state: 'failed', error: 'x' }]);
    await until('it is open', async () => {
      await makeDue();
      const now = await turnOf(receiptId);
      return now.state === 'open' && now.redrives === 1;
    });
  });

  it('is none of another project', async () => {
    const receiptId = await route('hal');
    const turn = await turnOf(receiptId);
    await fails({ ...turn, project_id: newId('prj') });
    expect(await letterOf(receiptId)).toBeUndefined();
  });
});

describe('a turn', () => {
  it('has what its sender is told of a failure, as the channel says', async () => {
    const noticeOf = async (receiptId: string) => (await turnOf(receiptId)).input.failure_notice;
    expect(await noticeOf(await route('ina'))).toBeUndefined();
    const told = await world.channel({ unknown_senders: 'open', reply_address: 'room', failure_notice: 'Sorry.' });
    const nowhere = await world.channel({ unknown_senders: 'open', failure_notice: 'Sorry.' });
    const routed = async (app: string, metadata = {}) => {
      const job = jobOf(app, { metadata });
      await router.get(RoutingService, { strict: false }).route(job, 1);
      return job.receipt_id;
    };
    expect(await noticeOf(await routed(told))).toBe('Sorry.');
    expect(await noticeOf(await routed(nowhere, { channel_address: null }))).toBeUndefined();
  });
});
