import { until } from '#libs/testing';
import type { EventDetail } from './api.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const path = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];
const idsIn = (event: EventDetail): string[] =>
  [...JSON.stringify(event).matchAll(/"((?:evt|msg|trn|run|dlv|stp)_[0-9a-z]{22,32})"/g)].map(([, id = '']) => id);
const isLong = (id: string): boolean => /^[a-z]+_[0-9a-f]{32}$/.test(id);

describe('ids, as processes that make longer ones are replaced by such that make shorter ones', () => {
  let system: System;
  let sink: Sink;
  let workflow_id: number;
  /** Each event, in the order in which they came. */
  const events: string[] = [];

  beforeAll(async () => {
    sink = await openSink();
    system = await startSystem({ ID_FORM: 'long' });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: sink.url });
    const steps = [
      { name: 'first', kind: 'agent', instructions: 'reply: read {{message}}' },
      { name: 'second', kind: 'agent', instructions: 'reply: done' },
    ];
    ({ id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'two steps', steps }));
    events.push(await delivered('while all are longer'));
    for (const service of path) {
      await system.kill(service);
      await system.restart(service, { ID_FORM: 'short' });
      events.push(await delivered(`since ${service} is replaced`));
    }
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
  });

  /** @returns the event, whose reply has arrived once */
  async function delivered(task: string): Promise<string> {
    const { id } = await until('the webhook is acknowledged', async () => {
      const answer = await post(system.webhookUrl, { workflow_id, task });
      return answer.status === 200 && answer;
    });
    await until(`the reply to "${task}" arrives`, () => sink.repliesTo(id)[0]);
    await system.reached(id, 'delivery', 'delivered');
    return id;
  }
  const detail = (id: string): Promise<EventDetail> => system.api('GET', `/api/v1/events/${id}`);

  it('have the form of the event, and none is of another form once all are replaced', async () => {
    const [first, last] = [await detail(events[0]!), await detail(events.at(-1)!)];
    expect(idsIn(first).filter((id) => !isLong(id))).toEqual([]);
    expect(idsIn(last).filter(isLong)).toEqual([]);
    expect(idsIn(first).length).toBe(idsIn(last).length);
  });

  it('are listed by their time, whatever their form', async () => {
    const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/events?limit=20');
    expect(data.map(({ id }) => id)).toEqual(events.toReversed());
    for (const id of events) expect(sink.repliesTo(id)).toHaveLength(1);
  });

  it('of 32 digits still have their timeline and their replay', async () => {
    const [id = ''] = events;
    expect(isLong(id)).toBe(true);
    const before = await detail(id);
    expect(before.timeline.filter(({ terminal }) => terminal)).toHaveLength(1);
    const { run_ids } = await system.api<{ run_ids: string[] }>('POST', `/api/v1/events/${id}/replay`, {
      deliver: true,
    });
    await until('the reply of the replay arrives', () => sink.repliesTo(id)[1]);
    expect(run_ids.filter(isLong)).toEqual([]);
    const after = await detail(id);
    expect(after.runs.filter(({ replay, state }) => replay && state === 'succeeded')).toHaveLength(1);
  });
});
