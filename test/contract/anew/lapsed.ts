import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import { courierEvent } from './courier.js';
import { type CourierWorld, signingSecret } from './courier-world.js';

/** Credentials that are missing, lapsed or rotated, and a provider that is away. @param shared the world */
export function holdLapsed(shared: () => CourierWorld): void {
  describe('while a credential', () => {
    let world: CourierWorld;
    beforeAll(() => {
      world = shared();
    });
    const ask = <T>(method: string, path: string, body?: unknown) => world.system.ask<T>(method, path, body);
    const stateOf = (id: string, state: string): Promise<Schema<'DeliveryView'>> =>
      until(`the delivery is ${state}`, async () => (await world.deliveries(id)).find((one) => one.state === state));

    it('has lapsed at the provider: the reply ends with its words, and is sent when there is a new one', async () => {
      const account = { id: 'u-agent', name: 'Agent' };
      world.courier.accounts.clear();
      const id = await world.write();
      const dead = await stateOf(id, 'dead');
      expect([dead.error, dead.error_detail]).toEqual(['auth_failed', expect.stringContaining('401')]);
      expect(await world.verify()).toMatchObject({ ok: false, code: 'auth_failed' });
      await world.neighbourGoesOn();
      world.courier.accounts.set('a-new-token', account);
      const changed = await ask('PATCH', `credentials/${world.token}`, { fields: { token: 'a-new-token' } });
      expect(changed.status).toBe(200);
      await until('Verify finds it well', async () => (await world.verify()).ok);
      await ask('POST', `deliveries/${dead.id}/redrive`, {});
      await world.system.reached(id, 'delivery', 'delivered');
      await world.system.reached(await world.write(), 'delivery', 'delivered');
    });

    it('is missing: what comes is refused with the reason, and taken as soon as it is there', async () => {
      const link = (id: string | null) =>
        ask('PATCH', `apps/${world.app.id}`, { credentials: { COURIER_SIGNING: id } });
      await link(null);
      const app = await ask<Schema<'AppView'>>('GET', `apps/${world.app.id}`);
      expect(app.body.missing).toEqual(['COURIER_SIGNING']);
      const refused = await world.system.ended(await world.write());
      expect(refused).toMatchObject({ outcome: 'refused', reason: 'not_configured' });
      expect(await world.verify()).toMatchObject({ ok: false, code: 'missing_credentials' });
      await world.neighbourGoesOn();
      await link(world.signing);
      await world.system.reached(await world.write(), 'delivery', 'delivered');
    });

    it('is rotated: what is signed with either secret is taken, then only what is signed with the new one', async () => {
      const rotation = `credentials/${world.signing}/fields/signing_secret`;
      const next = 'what-courier-will-sign-its-events-with';
      const sign = async (secret: string, id: string): Promise<string | null> => {
        const event = { kind: 'typing', id };
        const answer = await courierEvent(world.app.webhook_url ?? '', event, secret);
        return (await world.system.ended(((await answer.json()) as { id: string }).id)).outcome;
      };
      expect((await ask('POST', `${rotation}/rotate`, { value: next })).status).toBe(200);
      expect([await sign(signingSecret, 'r-1'), await sign(next, 'r-2')]).toEqual(['ignored', 'ignored']);
      expect((await ask('POST', `${rotation}/finish-rotation`, {})).status).toBe(200);
      expect([await sign(signingSecret, 'r-3'), await sign(next, 'r-4')]).toEqual(['refused', 'ignored']);
      const back = await ask('PATCH', `credentials/${world.signing}`, { fields: { signing_secret: signingSecret } });
      expect(back).toMatchObject({ status: 200 });
      await world.system.reached(await world.write(), 'delivery', 'delivered');
    });

    it('of the platform is rotated: an adapter that knows the old and the new one goes on', async () => {
      const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
      await world.adapter.start({ GATEHOUSE_ADAPTER_SECRET: `${next},${world.secret}` });
      await world.system.reached(await world.write(), 'delivery', 'delivered');
      await world.adapter.start();
    });
  });

  describe('while the provider', () => {
    let world: CourierWorld;
    beforeAll(() => {
      world = shared();
    });

    it('is away: messages are taken, replies and Verify say so, and all goes on when it is back', async () => {
      world.courier.trouble = 503;
      const sent = world.courier.sent.length;
      const id = await world.write();
      const waiting = await until('its delivery says why it waits', async () =>
        (await world.deliveries(id)).find(({ error }) => error === 'provider_unavailable'),
      );
      expect(['queued', 'retrying', 'sending']).toContain(waiting.state);
      expect(await world.verify()).toMatchObject({ ok: false, code: 'provider_unavailable' });
      expect((await world.page()).state).toBe('ready');
      await world.neighbourGoesOn();
      world.courier.trouble = null;
      await world.system.reached(id, 'delivery', 'delivered');
      expect(world.courier.sent).toHaveLength(sent + 1);
    });

    it('takes a message and the adapter dies before it says so: it is looked up, and not sent twice', async () => {
      world.courier.mute = true;
      const sent = world.courier.sent.length;
      const id = await world.write();
      await until('Courier has it', () => world.courier.sent.length > sent);
      await world.adapter.kill();
      world.courier.mute = false;
      await world.adapter.start();
      await world.system.reached(id, 'delivery', 'delivered');
      expect([world.courier.sent.length, world.adapter.answered('POST /deliver/lookup').length > 0]).toEqual([
        sent + 1,
        true,
      ]);
    });
  });
}
