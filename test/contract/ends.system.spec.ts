import { until } from '#libs/testing';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from './contract-process.js';
import { type ContractApp, type ContractWorld, startContractWorld } from './contract-world.js';
import { type FakeModel, type ModelAnswer, openFakeModel } from './fake-model.js';

describe('a turn', () => {
  let world: ContractWorld;
  let model: FakeModel;
  let adapter: ContractAdapter;
  let app: ContractApp;

  beforeAll(async () => {
    model = await openFakeModel();
    world = await startContractWorld({ MODEL_BASE_URL: model.url, MODEL_NAME: 'fake', MODEL_API_KEY: 'a-key' });
    adapter = await world.adapters.mount('ends', { credentials: [] });
    app = await world.install(adapter);
  });
  afterAll(async () => {
    await world?.close();
    await model?.close();
  });
  beforeEach(async () => {
    model.answer = { text: 'done' };
    model.room = Number.POSITIVE_INFINITY;
    await adapter.forget();
  });

  const about = { channel_address: 'room' };
  const shown = async (id: string): Promise<Schema<'EventDetailView'>> =>
    (await world.ask<Schema<'EventDetailView'>>('GET', `events/${id}`)).body;
  /** Waits for an event's outcome, in the one field that gives it. */
  const says = (id: string, reason: RegExp): Promise<Schema<'EventResultView'>> =>
    until(`the event says ${reason}`, async () => {
      const { result } = await shown(id);
      return reason.test(result?.reason ?? '') ? result : null;
    });

  it.each<[string, ModelAnswer, RegExp]>([
    ['nothing to say', { text: '', finish: 'stop' }, /nothing_to_say|empty_answer/],
    ['the content filter', { text: null, finish: 'content_filter' }, /content_filter/],
    ['an empty answer', { text: null, finish: 'stop' }, /nothing_to_say|empty_answer/],
    ['the length limit', { text: null, finish: 'length' }, /empty_at_length/],
    ['a refusal', { text: null, refusal: 'I will not.' }, /model_refused/],
  ])('that sends no reply says why: %s', async (what, answer, reason) => {
    model.answer = answer;
    const { id } = await world.send(app, { from: `asks for ${what}`, text: 'hello', about });
    expect((await says(id, reason)).text).toMatch(/./);
    expect((await adapter.calls('deliver')).filter(({ body }) => body.message?.text === '')).toEqual([]);
  });

  it('is shown on its run, with the reply and its deliveries', async () => {
    const workflow = { name: 'answers', instructions: 'Answer.' };
    const { id: workflowId } = await world.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
    const trigger = { app_id: app.id, workflow_id: workflowId, event_types: ['answered'] };
    await world.api('POST', '/api/v1/triggers', trigger);
    const { runs } = await world.outcomeOf(app, { type: 'answered', text: 'hello', about });
    const run = await until('the run shows its delivery', async () => {
      const { body } = await world.ask<Schema<'RunDetailView'>>('GET', `runs/${runs[0]?.id}`);
      return body.state === 'succeeded' && body.deliveries?.length > 0 ? body : null;
    });
    expect(run.turns).toMatchObject([{ id: expect.stringMatching(/^trn_/), reply: 'sent', reply_text: 'done' }]);
  });

  it('that fails becomes a dead letter, is reported to its sender, and can be redriven', async () => {
    model.answer = { text: null, finish: 'content_filter' };
    const { id } = await world.send(app, { from: 'filtered', text: 'hello', about });
    const letter = await until('it is a dead letter', async () => {
      const { body } = await world.ask<Schema<'DeadLetterPage'>>('GET', 'events/dead-letters');
      return body.data?.find((one) => one.receipt_id === id);
    });
    await until('its sender hears of it', async () => (await adapter.calls('deliver')).length > 0);
    const notice = (await adapter.calls('deliver')).length;
    model.answer = { text: 'after all' };
    expect((await world.ask('POST', `events/dead-letters/${letter.id}/redrive`, {})).status).toBeLessThan(300);
    await until('it answers after the redrive', async () => {
      const calls = await adapter.calls('deliver');
      return calls.length > notice && calls.some(({ body }) => body.message?.text.includes('after all'));
    });
  });

  it('of a full conversation is answered from a shortened history', async () => {
    const say = async (text: string): Promise<void> => {
      const { id } = await world.send(app, { from: 'talkative', text, thread: 'long', about });
      await world.reached(id, 'delivery', 'delivered');
    };
    for (let n = 0; n < 4; n += 1) await say(`${n} ${'words '.repeat(500)}`);
    model.room = 9_000;
    await say('and now?');
  });

  it('waits while the model is unavailable, with the reason, and continues when it is back', async () => {
    model.answer = { status: 503 };
    const { id } = await world.send(app, { from: 'patient', text: 'hello', about });
    expect(await says(id, /model_unavailable/)).toMatchObject({ state: 'waiting', until: expect.any(String) });
    model.answer = { text: 'back again' };
    const event = await until('it is answered', async () => {
      const detail = await shown(id);
      return detail.timeline.some((entry) => entry.stage === 'delivery' && entry.outcome === 'delivered');
    });
    expect(event).toBe(true);
  });
});
