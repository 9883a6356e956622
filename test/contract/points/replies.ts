import { until } from '#libs/testing';
import type { EventDetail } from '../../system/api.js';
import { post } from '../../system/webhook.js';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Where replies are sent, when they are withheld, and how they end. @param shared the running system */
export function holdReplies(shared: () => ContractWorld): void {
  describe('a reply', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let app: ContractApp;

    beforeAll(async () => {
      world = shared();
      adapter = await world.adapters.mount('replies', { credentials: [] });
      app = await world.install(adapter);
    });
    beforeEach(() => adapter.forget());

    const onEvent = async (events: string[]): Promise<number> => {
      const workflow = { name: `on ${events.join()}`, instructions: 'reply: seen' };
      const { id } = await world.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
      await world.api('POST', '/api/v1/triggers', { app_id: app.id, workflow_id: id, event_types: events });
      return id;
    };

    it('goes to the sender where the adapter gives no address: no field outside the contract is needed', async () => {
      const { id } = await world.send(app, { from: 'jane', text: 'hello', id: 'to-sender' });
      await world.reached(id, 'delivery', 'delivered');
      const [call] = await adapter.calls('deliver');
      expect(call?.body).toMatchObject({
        channel_address: 'jane',
        message: { text: expect.stringContaining('hello'), thread_id: '' },
      });
    });

    it('goes to the thread that the message came in', async () => {
      const { id } = await world.send(app, { from: 'jane', text: 'hello', thread: 'release-7', id: 'to-thread' });
      await world.reached(id, 'delivery', 'delivered');
      const [call] = await adapter.calls('deliver');
      expect(call?.body).toMatchObject({ channel_address: 'jane', message: { thread_id: 'release-7' } });
    });

    it('that can go nowhere is reported at installation, in the timeline and on the run', async () => {
      const silent = await world.adapters.mount('silent', { credentials: [], capabilities: ['receive'] });
      const receiver = await world.install(silent);
      expect(JSON.stringify(receiver.warnings)).toMatch(/Replies go nowhere/);
      const to = { name: 'goes nowhere', instructions: 'reply: seen' };
      const { id: workflow_id } = await world.api<{ id: number }>('POST', '/api/v1/workflows', to);
      await world.api('POST', '/api/v1/triggers', { app_id: receiver.id, workflow_id, event_types: ['silent'] });
      const event = await world.outcomeOf(receiver, { type: 'silent', text: 'hello' });
      expect(event).toMatchObject({ outcome: 'routed', runs: [{ workflow_id }] });
      const nowhere = /^(no_address|app_cannot_send)$/;
      await until('the timeline says so', async () => {
        const { body } = await world.ask<Schema<'EventDetailView'>>('GET', `events/${event.id}`);
        return body.timeline.some(({ reason }: { reason: string | null }) => nowhere.test(reason ?? ''));
      });
      const run = await until('the run has ended', async () => {
        const { body } = await world.ask<Schema<'RunDetailView'>>('GET', `runs/${event.runs[0]?.id}`);
        return body.state === 'succeeded' ? body : null;
      });
      expect([run.reply, run.reason]).toEqual(['none', expect.stringMatching(nowhere)]);
      expect(await silent.calls('deliver')).toEqual([]);
    });

    it.each<[string, object]>([
      ['automatic mail', { auto_submitted: 'auto-replied' }],
      ['a bounce', { bounce: true }],
    ])('to %s is withheld with a reason, though it reaches triggers', async (what, about) => {
      const type = `mail_${what.replaceAll(' ', '_')}`;
      const workflow = await onEvent([type]);
      const event = await world.outcomeOf(app, { type, from: 'robot', text: 'I am away', about });
      expect(event).toMatchObject({ outcome: 'routed', runs: [{ workflow_id: workflow }] });
      const { body: run } = await world.ask<Schema<'RunDetailView'>>('GET', `runs/${event.runs[0]?.id}`);
      const ended = await until('the run has ended', async () => {
        const { body } = await world.ask<Schema<'RunDetailView'>>('GET', `runs/${run.id}`);
        return body.state === 'succeeded' ? body : null;
      });
      expect(
        JSON.stringify([
          ended,
          (await world.ask<Schema<'EventDetailView'>>('GET', `events/${event.id}`)).body.timeline,
        ]),
      ).toMatch(/automatic_message|bounce/);
      expect(await adapter.calls('deliver')).toEqual([]);
    });

    it('to a person who counts is no loop: the texts are compared as they are', async () => {
      const about = { channel_address: 'counting' };
      for (let order = 1_000; order < 1_000 + 12 * 37; order += 37) {
        const event = await world.outcomeOf(app, { from: 'counting', text: `order ${order}`, thread: 'orders', about });
        expect([order, event.outcome]).toEqual([order, 'routed']);
        await world.reached(event.id, 'delivery', 'delivered');
      }
    });

    it('between two Apps that answer each other ends after a bounded number of rounds', async () => {
      const one = await world.api<ContractApp>('POST', '/api/v1/apps', { name: 'one', kind: 'builtin' });
      const other = await world.api<ContractApp>('POST', '/api/v1/apps', { name: 'other', kind: 'builtin' });
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        await until('the channel is there', async () => {
          const { status } = await world.ask('PUT', `channels/${from.id}`, { reply_address: to.webhook_url });
          return status === 200;
        });
      }
      await post(one.webhook_url ?? '', { task: 'begin' });
      const ended = async (): Promise<[string, string | null][]> => [
        ...(await world.outcomesOf(one.id)),
        ...(await world.outcomesOf(other.id)),
      ];
      const outcomes = await until('the rounds have ended', async () => {
        const all = await ended();
        return all.some(([, outcome]) => outcome === 'loop_paused') && all.every(([, outcome]) => outcome) ? all : null;
      });
      expect(outcomes.length).toBeLessThan(40);
      const [stopped] = outcomes.filter(([, outcome]) => outcome === 'loop_paused');
      const { body } = await world.ask<Schema<'EventDetailView'>>('GET', `events/${stopped?.[0]}`);
      expect((body as EventDetail).reason).toBe('hop_limit');
    });
  });
}
