import { newId } from '#libs/contracts';
import { Journal } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RoutingService } from '../routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-under-test.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { TurnsService } from '../turns/turns.service.js';
import type { EventResult } from './event-result.js';

let world: RouterWorld;
let router: NestFastifyApplication;
let appId: string;

beforeAll(async () => {
  world = await routerWorld();
  router = await world.start();
  appId = await world.channel({ unknown_senders: 'open', inbox_mode: 'collect', reply_address: 'room' });
});
afterAll(() => world.close());

const journal = () => router.get(Journal, { strict: false });
const turns = () => router.get(TurnsService, { strict: false });
const route = async (over: { sender?: string; app?: string } = {}) => {
  const job = jobOf(over.app ?? appId, { sender: over.sender ?? newId('req'), message: newId('req') });
  await journal().appendNow({ ...ofJob(job), stage: 'received', outcome: 'accepted' });
  await router.get(RoutingService, { strict: false }).route(job, 1);
  return world.row<TurnRow>('SELECT * FROM router.turn WHERE receipt_id = $1', [job.receipt_id]);
};
const ofJob = ({ receipt_id, organization_id, project_id, app_id }: ReturnType<typeof jobOf>) => ({
  ...{ receipt_id, organization_id, project_id, app_id },
});
const tell = (turn: TurnRow, entry: object) =>
  journal().appendNow({
    ...{ receipt_id: turn.receipt_id, organization_id: turn.organization_id, project_id: turn.project_id },
    ...{ app_id: turn.app_id, stage: 'turn', outcome: 'running', subject_id: turn.id },
    ...entry,
  });
const resultOf = async ({ receipt_id }: Pick<TurnRow, 'receipt_id'>) => {
  const { body } = await world.api<{ result: EventResult; outcome: string }>('GET', `/api/v1/events/${receipt_id}`);
  const listed = await world.api<{ data: { id: string; result: EventResult }[] }>(
    'GET',
    `/api/v1/events?result=${body.result.state}`,
  );
  expect(listed.body.data.find(({ id }) => id === receipt_id)?.result).toEqual(body.result);
  return body.result;
};

describe('what became of an event', () => {
  it('is told of one whose turn failed, with the reason in words and what to do', async () => {
    const turn = await route();
    expect(await resultOf(turn)).toMatchObject({ state: 'working' });
    await turns().finish([{ turn_id: turn.id, state: 'failed', error: 'context_length' }]);
    expect(await resultOf(turn)).toEqual({
      state: 'failed',
      reason: 'context_length',
      until: null,
      text: 'A turn failed. Its dead letter can be redriven. The conversation is too long for the model, even shortened: name a model with a larger context.',
    });
  });

  it('is that it waits, for what and until when', async () => {
    const turn = await route();
    const until = '2030-01-01T00:00:00.000Z';
    await tell(turn, { outcome: 'held', reason: 'model_unavailable', detail: { until } });
    expect(await resultOf(turn)).toMatchObject({ state: 'waiting', reason: 'model_unavailable', until });
    await tell(turn, { reason: 'tool_called', at: new Date(Date.now() + 5) });
    expect(await resultOf(turn)).toMatchObject({ state: 'working' });
  });

  it('is that nothing was sent, and why', async () => {
    const turn = await route();
    await turns().finish([{ turn_id: turn.id, state: 'succeeded', error: null, reply: 'none', reason: 'no_address' }]);
    expect(await resultOf(turn)).toMatchObject({ state: 'no_reply', reason: 'no_address' });
  });

  it.each([
    [null, 'delivering'],
    ['retrying', 'delivering'],
    ['delivered', 'delivered'],
    ['dead', 'undelivered'],
    ['unknown', 'unconfirmed'],
  ])('is how its reply fares: %s is %s', async (outcome, state) => {
    const turn = await route();
    const delivery_id = newId('dlv');
    await tell(turn, { outcome: 'succeeded', detail: { delivery_id } });
    await turns().finish([{ turn_id: turn.id, state: 'succeeded', error: null, reply: 'sent', reason: null }]);
    await tell(turn, { stage: 'delivery', outcome: 'dead', subject_id: newId('dlv') });
    if (outcome) await tell(turn, { stage: 'delivery', outcome, subject_id: delivery_id });
    expect(await resultOf(turn)).toMatchObject({ state });
  });

  it('is what became of the turn that it was answered with', async () => {
    const sender = newId('req');
    const busy = await route({ sender });
    const [collected, last] = [await route({ sender }), await route({ sender })];
    expect(await resultOf(last)).toMatchObject({ state: 'waiting', reason: 'session_busy' });
    await turns().finish([{ turn_id: busy.id, state: 'succeeded', error: null, reply: 'none', reason: 'no_address' }]);
    await turns().finish([{ turn_id: last.id, state: 'failed', error: 'empty_answer' }]);
    expect(await resultOf(collected)).toMatchObject({ state: 'failed', reason: 'empty_answer' });
  });

  it('is nothing of an event without turns, or of another project', async () => {
    const quiet = await world.channel({ unknown_senders: 'open', chief_of_staff: false });
    const job = jobOf(quiet, {});
    await router.get(RoutingService, { strict: false }).route(job, 1);
    const { body } = await world.api<{ result: null }>('GET', `/api/v1/events/${job.receipt_id}`);
    expect(body.result).toBeNull();
    const turn = await route();
    await world.rows(`UPDATE router.turn SET project_id = 'prj_other' WHERE id = $1`, [turn.id]);
    const other = await world.api<{ result: null }>('GET', `/api/v1/events/${turn.receipt_id}`);
    expect(other.body.result).toBeNull();
  });

  it('is refused by name where the filter names none', async () => {
    expect((await world.api('GET', '/api/v1/events?result=fine')).status).toBe(422);
  });
});
