import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Deliveries of replies to an adapter. @param shared the running system */
export function holdDelivery(shared: () => ContractWorld): void {
  describe('a reply through an adapter that was written from the contract alone', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let app: ContractApp;

    beforeAll(async () => {
      world = shared();
      adapter = await world.adapters.mount('delivery', { credentials: [] });
      app = await world.install(adapter);
    });
    beforeEach(() => adapter.forget());

    const about = { channel_address: 'room-1' };
    const deliveries = async (eventId: string): Promise<Schema<'DeliveryView'>[]> =>
      (await world.ask<Schema<'DeliveryPage'>>('GET', `deliveries?event_id=${eventId}`)).body.data;

    it('is formatted, then delivered to the address and in the thread that the message came from', async () => {
      const { id } = await world.send(app, { from: 'jane', text: 'hello', thread: 't-1', about });
      await world.reached(id, 'delivery', 'delivered');
      const routes = (await adapter.calls()).map(({ route }) => route);
      expect(routes.filter((route) => ['format', 'deliver'].includes(route))).toEqual(['format', 'deliver']);
      const [asked] = await adapter.calls('format');
      expect(asked?.body).toMatchObject({ credentials: {}, text: expect.stringContaining('hello') });
      const [call] = await adapter.calls('deliver');
      expect(call?.body).toMatchObject({
        credentials: {},
        channel_address: 'room-1',
        message: { text: expect.stringContaining('hello'), thread_id: 't-1' },
      });
      expect(call?.headers).toMatchObject({
        'x-organization-id': expect.stringMatching(/^org_/),
        'x-project-id': expect.stringMatching(/^prj_/),
      });
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    });

    it('has the text that /format gave', async () => {
      await adapter.answer('format', { json: { text: 'in the conventions of the platform' } });
      const { id } = await world.send(app, { text: 'hello', about });
      await world.reached(id, 'delivery', 'delivered');
      await adapter.unscript('format');
      const [call] = await adapter.calls('deliver');
      expect(call?.body.message?.text).toBe('in the conventions of the platform');
    });

    it.each<[string, object]>([
      ['an empty object', { json: {} }],
      ['ok alone', { json: { ok: true } }],
      ['words of its own', { json: { delivered: 'yes' } }],
    ])('has arrived when the answer is %s: the contract shows none', async (_what, script) => {
      await adapter.answer('deliver', script);
      const { id } = await world.send(app, { text: 'hello', about });
      await world.reached(id, 'delivery', 'delivered');
      await adapter.unscript('deliver');
      expect(await adapter.calls('deliver')).toHaveLength(1);
    });

    it('that the adapter refuses has failed, with its words on the delivery', async () => {
      await adapter.answer('deliver', { json: { ok: false, error: 'the room was closed' } });
      const { id } = await world.send(app, { text: 'hello', about });
      const failed = await until('the delivery has failed', async () => {
        const [delivery] = await deliveries(id);
        return delivery?.state === 'dead' ? delivery : null;
      });
      await adapter.unscript('deliver');
      expect(JSON.stringify(failed)).toContain('the room was closed');
    });

    it('whose answer was lost is unknown, never sent twice', async () => {
      await adapter.answer('deliver', { drop: true });
      const { id } = await world.send(app, { text: 'hello', about });
      const unknown = await until('nobody knows whether it arrived', async () => {
        const [delivery] = await deliveries(id);
        return delivery?.state === 'unknown' ? delivery : null;
      });
      await adapter.unscript('deliver');
      expect(unknown.error_detail).toMatch(/mark it as delivered or redrive it/);
      expect(await adapter.calls('deliver')).toHaveLength(1);
    });

    it('that an adapter takes no more of for now is delivered when it does', async () => {
      const busy = { status: 503, json: {}, headers: { 'content-type': 'application/json', 'retry-after': '1' } };
      await adapter.answer('deliver', [busy, { json: {} }]);
      const { id } = await world.send(app, { text: 'hello', about });
      await world.reached(id, 'delivery', 'delivered');
      await adapter.unscript('deliver');
      expect(await adapter.calls('deliver')).toHaveLength(2);
    });

    it('that comes back marked as the platform’s own ends there', async () => {
      const first = await world.send(app, { text: 'ping', about });
      await world.reached(first.id, 'delivery', 'delivered');
      const [sent] = await adapter.calls('deliver');
      await adapter.forget();
      const echo = { text: sent?.body.message?.text, about, sent_by_contract_adapter: true };
      expect(await world.outcomeOf(app, echo)).toMatchObject({ outcome: 'dropped_bot', runs: [] });
      expect(await adapter.calls('deliver')).toEqual([]);
    });

    it('that comes back unmarked is known by its text, and ends there too', async () => {
      const first = await world.send(app, { text: 'pong', about });
      await world.reached(first.id, 'delivery', 'delivered');
      const [sent] = await adapter.calls('deliver');
      const echo = await world.outcomeOf(app, { text: sent?.body.message?.text, about });
      expect(echo).toMatchObject({ outcome: 'dropped_echo', runs: [] });
    });
  });
}
