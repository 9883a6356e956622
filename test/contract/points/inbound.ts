import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Messages from a platform: verified, parsed, matched with triggers, deduplicated. @param shared the running system */
export function holdInbound(shared: () => ContractWorld): void {
  describe('a message that a platform sends', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let app: ContractApp;

    beforeAll(async () => {
      world = shared();
      adapter = await world.adapters.mount('inbound', { credentials: [] });
      app = await world.install(adapter);
      await world.ask('POST', `apps/${app.id}/verify`);
    });
    beforeEach(() => adapter.forget());

    const workflow = async (events: string[]): Promise<number> => {
      const workflow = { name: `on ${events.join()}`, instructions: 'reply: seen' };
      const { id } = await world.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
      await world.api('POST', '/api/v1/triggers', { app_id: app.id, workflow_id: id, event_types: events });
      return id;
    };

    it('is verified and parsed, each with the exact bytes and everything that came with them', async () => {
      const event = await world.outcomeOf(app, { from: 'jane', text: 'hello — 1.0', id: 'exact' });
      expect(event.outcome).toBe('routed');
      const calls = (await adapter.calls()).filter(({ route }) => route !== 'deliver' && route !== 'format');
      expect(new Set(calls.map(({ route }) => route))).toEqual(new Set(['verify-webhook', 'parse-inbound']));
      expect(calls.at(-1)?.route).toBe('parse-inbound');
      for (const { headers, body } of calls) {
        expect(headers).toMatchObject({
          'content-type': 'application/json',
          'x-organization-id': expect.stringMatching(/^org_/),
          'x-project-id': expect.stringMatching(/^prj_/),
        });
        expect(body).toMatchObject({
          credentials: {},
          request: { method: 'POST', body: JSON.stringify({ from: 'jane', text: 'hello — 1.0', id: 'exact' }) },
        });
        expect(body.request?.headers['content-type']).toBe('application/json');
        expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/credential/i)]));
      }
    });

    it('is shown with every field of the normalized message', async () => {
      const sent = { from: 'jane', text: 'hello', id: 'fields', thread: 't-1', direct: true, about: { team: 'T1' } };
      const event = await world.outcomeOf(app, sent);
      expect(event.messages.map(({ message }) => message)).toMatchObject([
        {
          event_type: 'message_received',
          sender: 'jane',
          message: 'hello',
          is_bot: false,
          dedup_key: 'fields',
          thread_id: 't-1',
          is_dm: true,
          metadata: { team: 'T1' },
        },
      ]);
    });

    it('that is not verified is not parsed', async () => {
      await adapter.answer('verify-webhook', { json: { ok: false } });
      const event = await world.outcomeOf(app, { text: 'who am I?', id: 'unverified' });
      await adapter.unscript('verify-webhook');
      expect(event).toMatchObject({ outcome: 'refused', messages: [] });
      expect(await adapter.calls('parse-inbound')).toEqual([]);
    });

    it('that the adapter answers with 401 ends at once, in its words', async () => {
      await adapter.answer('verify-webhook', { status: 401, json: { ok: false, error: 'forged' } });
      const event = await world.outcomeOf(app, { text: 'who am I?', id: 'forged' });
      await adapter.unscript('verify-webhook');
      const end = event.timeline.find(({ terminal }) => terminal);
      expect([event.outcome, end?.reason, event.timeline.some(({ outcome }) => outcome === 'retrying')]).toEqual([
        'refused',
        'bad_signature',
        false,
      ]);
      expect(JSON.stringify(end)).toContain('forged');
    });

    it('starts the workflows whose triggers name its event type', async () => {
      const id = await workflow(['issue_opened']);
      const event = await world.outcomeOf(app, { type: 'issue_opened', text: 'it broke', id: 'issue' });
      expect(event).toMatchObject({ outcome: 'routed', runs: [{ workflow_id: id }] });
      const other = await world.outcomeOf(app, { type: 'issue_closed', text: 'it works', id: 'closed' });
      expect(other.runs).toEqual([]);
    });

    it('with is_bot reaches no trigger, and no agent', async () => {
      await workflow(['from_bots']);
      const event = await world.outcomeOf(app, {
        type: 'from_bots',
        text: 'x',
        id: 'bot',
        sent_by_contract_adapter: true,
      });
      expect(event).toMatchObject({ outcome: 'dropped_bot', runs: [] });
    });

    it('that comes twice under one dedup_key is worked on once', async () => {
      await workflow(['once']);
      const event = { type: 'once', text: 'x', id: 'twice' };
      expect((await world.outcomeOf(app, event)).runs).toHaveLength(1);
      expect(await world.outcomeOf(app, { ...event, delivery: 2 })).toMatchObject({ outcome: 'duplicate', runs: [] });
    });

    it('without a dedup_key is worked on each time', async () => {
      await workflow(['each']);
      const event = { type: 'each', text: 'x' };
      expect((await world.outcomeOf(app, event)).runs).toHaveLength(1);
      expect((await world.outcomeOf(app, event)).runs).toHaveLength(1);
    });

    it.each<[string, object]>([
      ['a message without sender', { json: { event_type: 'x', message: 'x', is_bot: false } }],
      ['a message without text', { json: { event_type: 'x', sender: 'x', is_bot: false } }],
    ])('ends as a contract violation that names the route when it is parsed to %s', async (_what, script) => {
      await adapter.answer('parse-inbound', script);
      const event = await world.outcomeOf(app, { text: 'x' });
      await adapter.unscript('parse-inbound');
      const end = event.timeline.find(({ terminal }) => terminal);
      expect([event.outcome, end?.reason]).toEqual(['dead', 'contract_violation']);
      expect(JSON.stringify(end)).toContain('/parse-inbound');
    });

    it('waits for an adapter that is away, says so, and goes on by itself', async () => {
      await adapter.answer('parse-inbound', { status: 503, json: {} });
      const { id } = await world.send(app, { text: 'x' });
      await until('its timeline says why it waits', async () => {
        const { body } = await world.ask<Schema<'EventDetailView'>>('GET', `events/${id}`);
        return body.timeline?.some((entry) => entry.reason === 'provider_unavailable');
      });
      await adapter.unscript('parse-inbound');
      expect(await world.ended(id)).toMatchObject({ outcome: 'routed' });
    });
  });
}
