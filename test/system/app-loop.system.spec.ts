import { until } from '#libs/testing';
import type { InstalledApp } from './api.js';
import { openSink, type Sink } from './sink.js';
import { startSmallSystem, type System } from './system.js';
import { post } from './webhook.js';

const maxHops = 4;

interface Warned extends InstalledApp {
  warnings: { code: string; message: string }[];
}

interface Ended {
  outcome: string;
  reason: string | null;
  timeline: { stage: string; outcome: string; reason: string | null; detail: Record<string, unknown> | null }[];
  messages: { reply_withheld: string | null; message: { origin?: { hops: number; delivery_id: string } } }[];
}

describe('two Apps that answer each other', () => {
  let system: System;
  let sink: Sink;
  let apps: [Warned, Warned];

  beforeAll(async () => {
    sink = await openSink();
    system = await startSmallSystem({ LOOP_MAX_HOPS: String(maxHops) });
    apps = [await install('there'), await install('back')];
    const [there, back] = apps;
    await repliesTo(there, back.webhook_url);
    await repliesTo(back, there.webhook_url);
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
  });

  const install = (name: string): Promise<Warned> => system.api('POST', '/api/v1/apps', { name, kind: 'builtin' });
  const repliesTo = (app: InstalledApp, reply_address: string): Promise<unknown> =>
    system.api('PUT', `/api/v1/channels/${app.id}`, { reply_address });
  const event = (id: string): Promise<Ended> => system.api('GET', `/api/v1/events/${id}`);
  const outcomes = async (): Promise<[string, string | null][]> =>
    (await Promise.all(apps.map((app) => system.outcomesOf(app.id)))).flatMap((each) => [...each]);

  it('end after a bounded number of rounds, with a named reason and what to do', async () => {
    const { id } = await post(apps[0].webhook_url, { task: 'Is the build green?' });
    const [pausedId] = await until('the loop is paused', async () =>
      (await outcomes()).find(([, outcome]) => outcome === 'loop_paused'),
    );
    expect(await event(id)).toMatchObject({ outcome: 'routed', messages: [{ reply_withheld: null }] });
    const paused = await event(pausedId);
    expect(paused).toMatchObject({ outcome: 'loop_paused', reason: 'hop_limit' });
    expect(paused.messages[0]?.message.origin?.hops).toBe(maxHops);
    const entry = paused.timeline.find(({ outcome }) => outcome === 'loop_paused');
    expect(entry).toMatchObject({ stage: 'routed', reason: 'hop_limit' });
    expect(entry?.detail).toMatchObject({
      advice: expect.stringContaining('reply_address'),
      came_by: { hops: maxHops },
    });
    const all = await outcomes();
    expect(all.map(([, outcome]) => outcome).sort()).toEqual(['loop_paused', ...Array<string>(maxHops).fill('routed')]);
    const held = await system.api<{ data: { receipt_id: string }[] }>('GET', '/api/v1/held-messages');
    expect(held.data.map(({ receipt_id }) => receipt_id)).toContain(pausedId);
  });

  it('still accept what others send them', async () => {
    await repliesTo(apps[0], `${sink.url}/replies`);
    const { id } = await post(apps[0].webhook_url, { task: 'And now?' });
    const reply = await until('the reply arrives', () => sink.repliesTo(id)[0]);
    expect(reply.json['gatehouse_origin']).toBe(reply.headers['x-gatehouse-origin']);
    const echo = await post(apps[0].webhook_url, reply.json);
    expect(await system.ended(echo.id)).toMatchObject({ outcome: 'dropped_bot' });
  });

  it('say in advance, and for each message, that replies go nowhere without an address', async () => {
    const app = await install('silent');
    expect(app.warnings).toMatchObject([
      { code: 'no_reply_address', message: expect.stringContaining('reply_address') },
    ]);
    const { id } = await post(app.webhook_url, { task: 'Hello?' });
    const routed = await until('it is routed', async () => {
      const detail = await event(id);
      // Timeline and messages are read at the same time, by statements of their own.
      return detail.outcome === 'routed' && detail.messages.length > 0 ? detail : null;
    });
    expect(routed.messages).toMatchObject([{ reply_withheld: 'no_address' }]);
    expect(routed.timeline.find(({ stage }) => stage === 'routed')?.detail).toMatchObject({
      reply_withheld: 'no_address',
    });
    await expect(repliesTo(app, 'replies.example')).rejects.toThrow('invalid_reply_address');
    await repliesTo(app, `${sink.url}/replies`);
    expect((await system.api<Warned>('GET', `/api/v1/apps/${app.id}`)).warnings).toEqual([]);
  });
});
