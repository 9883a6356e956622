import { until } from '#libs/testing';
import { type Script, type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

interface ShownEvent {
  result: { state: string; reason: string | null; until: string | null; text: string } | null;
  runs: { id: string }[];
}
interface ShownRun {
  state: string;
  reply_text: string | null;
  deliveries: { id: string; state: string }[];
  turns: { id: string; url: string }[];
}

describe('the result of a message', () => {
  let system: System;
  let sink: Sink;
  let model: FakeModel;

  beforeAll(async () => {
    [sink, model] = await Promise.all([openSink(), fakeModel()]);
    system = await startSystem({ MODEL_BASE_URL: model.url, MODEL_NAME: 'fake', MODEL_TRIAL_MS: '500' });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, {
      reply_address: `${sink.url}/built-in`,
      failure_notice: 'That did not work.',
    });
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([sink.close(), model.close()]);
  });

  const becomes = (id: string, state: string) =>
    until(`the event ${id} is ${state}`, async () => {
      const event = await system.api<ShownEvent>('GET', `/api/v1/events/${id}`);
      return event.result?.state === state && event;
    });
  const textsTo = (id: string) => sink.repliesTo(id).map(({ json }) => json['text']);
  const filtered: Script = { content: null, finish_reason: 'content_filter' };

  it('is shown while the model is unavailable, and it is answered soon after, even if the engine restarts meanwhile', async () => {
    model.always((response) => response.writeHead(503).end('{}'));
    const { id } = await post(system.webhookUrl, { task: 'Is the build green?' });
    expect((await becomes(id, 'waiting')).result).toMatchObject({
      reason: 'model_unavailable',
      until: expect.any(String),
      text: expect.stringContaining('The model does not answer'),
    });
    await system.kill('engine');
    await system.restart('engine');
    model.always('It is.');
    await becomes(id, 'delivered');
    expect(textsTo(id)).toEqual(['It is.']);
  });

  it('is reported to its sender when it fails, and it is answered once it is redriven', async () => {
    model.always(filtered);
    const { id } = await post(system.webhookUrl, { task: 'Say it.' });
    expect((await becomes(id, 'failed')).result).toMatchObject({ reason: 'content_filter' });
    await until('the sender hears of it', () => textsTo(id).length === 1);
    model.always('Said.');
    const letters = await system.api<{ data: { id: string; receipt_id: string }[] }>(
      'GET',
      '/api/v1/events/dead-letters?stage=turn&state=open',
    );
    const letter = letters.data.find((each) => each.receipt_id === id);
    await system.api('POST', `/api/v1/events/dead-letters/${letter?.id}/redrive`);
    await becomes(id, 'delivered');
    expect(textsTo(id)).toEqual(['That did not work.', 'Said.']);
    expect((await system.api<{ data: { id: string }[] }>('GET', '/api/v1/events?result=failed')).data).toEqual([]);
  });

  it('is found in two steps through its run: the reply, the turn, the delivery', async () => {
    model.always('Nightly done.');
    const { id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'nightly',
      instructions: 'Do it.',
    });
    const { id } = await post(system.webhookUrl, { workflow_id, task: 'nightly' });
    const { runs } = await becomes(id, 'delivered');
    const run = await until('the run knows of the delivery', async () => {
      const detail = await system.api<ShownRun>('GET', `/api/v1/runs/${runs[0]?.id}`);
      return detail.deliveries[0]?.state === 'delivered' && detail;
    });
    expect(run).toMatchObject({ state: 'succeeded', reply: 'sent', reply_text: 'Nightly done.', incomplete: null });
    const turn = await system.api<{ steps: unknown[] }>('GET', run.turns[0]?.url ?? '');
    expect(turn).toMatchObject({ reply: 'sent', deliveries: [{ state: 'delivered' }] });
    expect(turn.steps).toHaveLength(2);
    await system.api('GET', `/api/v1/deliveries/${run.deliveries[0]?.id}`);
  });
});
