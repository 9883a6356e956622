import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Challenges, and the parts of a request that an adapter gets. @param shared the running system */
export function holdChallenges(shared: () => ContractWorld): void {
  let world: ContractWorld;
  beforeAll(() => {
    world = shared();
  });

  describe('a challenge by POST', () => {
    const challenge = (app: ContractApp, word: string) =>
      fetch(app.webhook_url ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ challenge: word }),
      });
    const installed = async (name: string): Promise<{ adapter: ContractAdapter; app: ContractApp }> => {
      const adapter = await world.adapters.mount(name, { credentials: [] });
      return { adapter, app: await world.install(adapter) };
    };

    it('is answered before Verify, and after it', async () => {
      const { app } = await installed('challenge');
      const before = await challenge(app, 'before');
      expect([before.status, await before.text()]).toEqual([200, 'before']);
      expect((await world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`)).body.ok).toBe(true);
      // Repeated, since the ingress learns of it a moment later.
      for (let n = 0; n < 50; n += 1) {
        const after = await challenge(app, `after ${n}`);
        expect([after.status, await after.text()]).toEqual([200, `after ${n}`]);
      }
    });

    it('is verified before it is parsed, and not answered where that fails', async () => {
      const { adapter, app } = await installed('unsigned');
      await adapter.answer('verify-webhook', { json: { ok: false } });
      const refused = await challenge(app, 'secret-word');
      expect(await refused.text()).not.toContain('secret-word');
      expect((await adapter.calls())[0]?.route).toBe('verify-webhook');
      expect(await adapter.calls('parse-inbound')).toEqual([]);
    });

    it('is verified like every message: before it is parsed', async () => {
      const { adapter, app } = await installed('ordered');
      expect(await world.outcomeOf(app, { text: 'hello' })).toMatchObject({ outcome: 'routed' });
      const [first] = await adapter.calls();
      expect(first?.route).toBe('verify-webhook');
    });

    it('lets no message wait for a slow adapter: it is answered, and parsed later', async () => {
      const { adapter, app } = await installed('slow');
      const slow = { event_type: 'message_received', sender: 'x', message: 'x', is_bot: false };
      await adapter.answer('verify-webhook', { held: true, json: { ok: true } });
      await adapter.answer('parse-inbound', { json: slow });
      const { status, id } = await world.send(app, { text: 'hello' });
      expect(status).toBe(200);
      expect(await adapter.calls('parse-inbound')).toEqual([]);
      await adapter.unscript('verify-webhook');
      expect(await world.ended(id)).toMatchObject({ outcome: 'routed' });
      // A message that waits asks it before it is stored, too.
      expect(await adapter.calls('verify-webhook')).toHaveLength(1);
    });
  });

  describe('a request that an adapter is handed', () => {
    it('has the absolute URL, whole, and the headers of the context', async () => {
      const adapter = await world.adapters.mount('whole', { credentials: [] });
      const app = await world.install(adapter);
      const url = `${app.webhook_url}?page=1&token=abc`;
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"hello"}' });
      const calls = await until('it was parsed after its verification', async () => {
        const all = await adapter.calls();
        const at = (route: string): number => all.findIndex((call) => call.route === route);
        return at('verify-webhook') >= 0 && at('parse-inbound') > at('verify-webhook') ? all : null;
      });
      for (const { headers, body } of calls.filter(({ route }) => route !== 'format' && route !== 'deliver')) {
        expect(body.request?.url).toBe(url);
        expect(headers['x-organization-id']).toMatch(/^org_/);
        expect(headers['x-project-id']).toMatch(/^prj_/);
      }
    });

    it('has the headers of the context in every call, health and manifest too', async () => {
      const adapter = await world.adapters.mount('context', { credentials: [] });
      const app = await world.install(adapter);
      const { id } = await world.send(app, { text: 'hello', about: { channel_address: 'room' } });
      await world.reached(id, 'delivery', 'delivered');
      await world.ask('POST', `apps/${app.id}/verify`);
      const calls = await adapter.calls();
      expect(new Set(calls.map(({ route }) => route))).toEqual(
        new Set(['verify-webhook', 'parse-inbound', 'format', 'deliver', 'verify']),
      );
      for (const { headers } of calls) {
        expect(headers['x-organization-id']).toMatch(/^org_/);
        expect(headers['x-project-id']).toMatch(/^prj_/);
      }
    });

    it('shows no credential of its URL to a person', async () => {
      const adapter = await world.adapters.mount('masked', {
        credentials: [{ key: 'URL', type: 'text', label: 'Path token', maps_to: 'path_token' }],
        webhook: { url_secret: true },
      });
      const app = await world.install(adapter);
      const token = String(app.webhook_url).split('/').at(-1) ?? '';
      const { id } = await world.send(app, { text: 'hello' });
      const event = await world.ended(id);
      expect(JSON.stringify(event)).not.toContain(token);
      expect(world.logs()).not.toContain(token);
      expect(JSON.stringify(await adapter.calls('parse-inbound'))).toContain(token);
    });
  });
}
