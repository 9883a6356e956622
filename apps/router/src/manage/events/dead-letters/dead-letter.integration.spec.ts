import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type JournaledEvents, journaledEvents, type Neighbour, neighbour } from '../../../testing/journaled-events.js';
import { type RouterWorld, routerWorld } from '../../../testing/router-world.js';

interface Letter {
  id: string;
  drives: number;
  redrive_error: string | null;
  redriven_at: string;
  next_at: string;
  state: string;
  outcome: string | null;
  stage: string;
  reason: string;
  error: string;
  redriven_by: string;
}

let world: RouterWorld;
let events: JournaledEvents;
let ingress: Neighbour;
let gateway: Neighbour;

beforeAll(async () => {
  world = await routerWorld();
  [ingress, gateway] = await Promise.all([neighbour(), neighbour()]);
  events = journaledEvents(world, await world.start({ INGRESS_URL: ingress.url, GATEWAY_URL: gateway.url }));
});

afterAll(async () => {
  await world.close();
  await Promise.all([ingress.close(), gateway.close()]);
});

const path = 'events/dead-letters';
const lettersOf = async (appId: string, query = '') =>
  (await world.call<{ data: Letter[] }>('GET', `${path}?app_id=${appId}${query}`)).body.data;
const redrive = (id: string) => world.call<Letter & { code?: string }>('POST', `${path}/${id}/redrive`);
const died = async (appId: string, over: object = {}) => {
  const receipt_id = newId('evt');
  const entry = {
    receipt_id,
    app_id: appId,
    stage: 'parsed',
    outcome: 'dead',
    reason: 'contract_violation',
    detail: { error: 'no text' },
  } as const;
  await events.append({ ...entry, ...over });
  return receipt_id;
};
const settled = (id: string) =>
  until('the letter is settled', async () => {
    const { body } = await world.call<Letter>('GET', `${path}/${id}`);
    return body.state !== 'redriving' && body.state !== 'open' ? body : null;
  });
/** Ends the sweeper's wait between two attempts. */
const makeDue = () => world.query('UPDATE journal.dead_letter SET next_at = now()');

describe('a dead letter', () => {
  it('is kept when an event dies, once however often that is reported', async () => {
    const receipt_id = await died('app_kept');
    await died('app_kept', { receipt_id });
    expect(await lettersOf('app_kept')).toMatchObject([
      { state: 'open', stage: 'parsed', reason: 'contract_violation', error: 'no text', receipt_id },
    ]);
    const entries = await world.query(`SELECT outcome FROM ${everyEntry} e WHERE receipt_id = '${receipt_id}'`);
    expect(entries).toEqual([{ outcome: 'dead' }]);
  });

  it('is found by event, stage, reason, state and time, from either end of the list', async () => {
    const first = await died('app_found');
    await died('app_found', { stage: 'routed', reason: 'timeout', subject_id: 'x' });
    const found = await lettersOf('app_found');
    expect(await lettersOf('app_found', '&order=asc')).toEqual(found.toReversed());
    expect(await lettersOf('app_found', '&stage=routed')).toMatchObject([{ reason: 'timeout' }]);
    expect(await lettersOf('app_found', '&reason=contract_violation')).toMatchObject([{ stage: 'parsed' }]);
    expect(await lettersOf('app_found', `&event_id=${first}`)).toMatchObject([{ receipt_id: first }]);
    expect(await lettersOf('app_found', '&state=redriven')).toEqual([]);
    expect(await lettersOf('app_found', '&since=2100-01-01T00:00:00Z')).toEqual([]);
  });

  it('is redriven once, and shows how that ended', async () => {
    const receipt_id = await died('app_once');
    const [letter] = await lettersOf('app_once');
    const answer = await redrive(letter!.id);
    expect({ status: answer.status, state: answer.body.state, by: answer.body.redriven_by }).toEqual({
      status: 202,
      state: 'redriving',
      by: 'key:test',
    });
    const repeated = await redrive(letter!.id);
    expect({ status: repeated.status, code: repeated.body.code }).toEqual({ status: 409, code: 'already_redriven' });
    await until('the ingress is asked', () => ingress.asked.includes(`/internal/receipts/${receipt_id}/enqueue`));
    await events.append({ receipt_id, app_id: 'app_once', stage: 'routed', outcome: 'routed' });
    await makeDue();
    expect(await settled(letter!.id)).toMatchObject({ state: 'redriven', outcome: 'routed' });
  });

  it('is redriven once per idempotency key, and a repeated request shows its state', async () => {
    await died('app_keyed');
    const [letter] = await lettersOf('app_keyed');
    const headers = { 'idempotency-key': newId('req') };
    const ask = () => world.call<Letter>('POST', `${path}/${letter!.id}/redrive`, undefined, { headers });
    const answers = [await ask(), await ask()];
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
      [202, letter!.id],
      [202, letter!.id],
    ]);
    expect((await redrive(letter!.id)).status).toBe(409);
  });

  it('is redriven for one of several concurrent requests', async () => {
    await died('app_race');
    const [letter] = await lettersOf('app_race');
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => redrive(letter!.id)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409]);
  });

  it('is sent again while nothing came of it, since a queue may lose it', async () => {
    const receipt_id = await died('app_lost_job');
    const [letter] = await lettersOf('app_lost_job');
    await redrive(letter!.id);
    const times = () => ingress.asked.filter((asked) => asked.includes(receipt_id)).length;
    await until('it is sent', () => times() === 1);
    await makeDue();
    await until('it is sent again', () => times() === 2);
  });

  it('that dies again becomes a new one', async () => {
    const receipt_id = await died('app_anew');
    const [letter] = await lettersOf('app_anew');
    await redrive(letter!.id);
    await died('app_anew', { receipt_id, at: new Date(Date.now() + 10) });
    await makeDue();
    expect(await settled(letter!.id)).toMatchObject({ state: 'redriven', outcome: 'dead' });
    expect(await lettersOf('app_anew', '&state=open')).toHaveLength(1);
  });

  it('of a delivery is passed to the gateway to attempt again, once', async () => {
    const subject_id = newId('dlv');
    const receipt_id = await died('app_delivery', { stage: 'delivery', reason: 'provider_unavailable', subject_id });
    const [letter] = await lettersOf('app_delivery');
    await redrive(letter!.id);
    const asked = () => gateway.asked.filter((request) => request === `/internal/deliveries/${subject_id}/redrive`);
    await until('the gateway is asked', () => asked().length === 1);
    await events.append({ receipt_id, app_id: 'app_delivery', stage: 'delivery', outcome: 'delivered', subject_id });
    await makeDue();
    expect(await settled(letter!.id)).toMatchObject({ state: 'redriven', outcome: 'delivered' });
    expect(asked()).toHaveLength(1);
  });

  it('whose event is no longer stored is lost', async () => {
    await died('app_gone');
    const [letter] = await lettersOf('app_gone');
    ingress.answers(404);
    await redrive(letter!.id);
    expect(await settled(letter!.id)).toMatchObject({ state: 'lost' });
    ingress.answers(202);
  });

  it('waits while the ingress is unavailable', async () => {
    const receipt_id = await died('app_away');
    const [letter] = await lettersOf('app_away');
    ingress.answers(503);
    await redrive(letter!.id);
    await until('a redrive was attempted', () => ingress.asked.some((asked) => asked.includes(receipt_id)));
    const waits = await until('it says why it waits', async () => {
      const { body } = await world.call<Letter>('GET', `events/dead-letters/${letter!.id}`);
      return body.redrive_error === null ? null : body;
    });
    expect(waits).toMatchObject({ state: 'redriving', drives: 1, redrive_error: expect.stringMatching(/./) });
    expect(Date.parse(waits.next_at)).toBeGreaterThan(Date.parse(waits.redriven_at));
    ingress.answers(202);
    await events.append({ receipt_id, app_id: 'app_away', stage: 'routed', outcome: 'no_match' });
    await makeDue();
    expect(await settled(letter!.id)).toMatchObject({ outcome: 'no_match', redrive_error: null });
  });

  it('is also settled by a replay of its event', async () => {
    const receipt_id = await died('app_replayed');
    const [letter] = await lettersOf('app_replayed');
    expect((await world.call('POST', `events/${receipt_id}/replay`, {})).status).toBe(202);
    expect((await redrive(letter!.id)).status).toBe(409);
    await events.append({ receipt_id, app_id: 'app_replayed', stage: 'routed', outcome: 'routed' });
    await makeDue();
    expect(await settled(letter!.id)).toMatchObject({ state: 'redriven', outcome: 'routed' });
  });

  it('of another project is not found', async () => {
    await died('app_theirs', { project_id: newId('prj') });
    expect(await lettersOf('app_theirs')).toEqual([]);
    const { id } = await world.row<{ id: string }>(`SELECT id FROM journal.dead_letter WHERE app_id = 'app_theirs'`);
    expect((await redrive(id)).status).toBe(404);
    expect(await world.row(`SELECT state FROM journal.dead_letter WHERE id = $1`, [id])).toEqual({ state: 'open' });
  });
});
