import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import { hmac, post } from '../../system/webhook.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** The built-in App named Webhook: its address, its body and its signature. @param shared the running system */
export function holdWebhook(shared: () => ContractWorld): void {
  describe('the built-in Webhook App', () => {
    let world: ContractWorld;
    let app: ContractApp;
    let neighbour: ContractApp;

    const install = async (name: string): Promise<ContractApp> => {
      const { status, body } = await world.ask<ContractApp>('POST', 'listings/webhook/install', { name });
      expect(status).toBe(201);
      await until('the ingress knows it', async () => (await fetch(body.webhook_url ?? '')).status === 405);
      return body;
    };
    beforeAll(async () => {
      world = shared();
      [app, neighbour] = await Promise.all([install('hooked'), install('beside')]);
    });

    const workflow = async (name: string): Promise<number> =>
      (await world.api<{ id: number }>('POST', '/api/v1/workflows', { name, instructions: 'reply: done' })).id;
    const ended = async (url: string | null, body: object, headers: Record<string, string> = {}) => {
      const answer = await post(url ?? '', body, headers);
      expect(answer.status).toBe(200);
      return world.ended(answer.id);
    };

    it('is installed without credentials or adapter, and its card has the address that Verify uses', async () => {
      const { body: listing } = await world.ask<Schema<'ListingView'>>('GET', 'listings/webhook');
      expect(listing).toMatchObject({ category: 'Integration', credentials: [{ type: 'text', required: false }] });
      expect(listing.capabilities.toSorted()).toEqual(['receive', 'send']);
      expect(app.webhook_url).toMatch(/\/api\/v1\/webhooks\/[\w-]{20,}$/);
      expect(app.webhook_url).not.toContain(app.id);
      expect(neighbour.webhook_url).not.toBe(app.webhook_url);
      const { body } = await world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`);
      expect(body).toMatchObject({ ok: true });
    });

    it('starts the workflow that workflow_id names, and goes to the Chief of Staff without one', async () => {
      const id = await workflow('named by a webhook');
      const named = await ended(app.webhook_url, { workflow_id: id, task: 'go', metadata: { source: 'shop' } });
      expect(named).toMatchObject({ outcome: 'routed', runs: [{ workflow_id: id }] });
      const open = await world.ask('PATCH', `channels/${app.id}`, { unknown_senders: 'open' });
      expect(open.status).toBe(200);
      const other = await ended(app.webhook_url, { task: 'hello', metadata: { source: 'shop' } });
      expect([other.outcome, other.runs, other.turns.length]).toEqual(['routed', [], 1]);
    });

    it('names its event by metadata.event_type, for triggers', async () => {
      const workflow_id = await workflow('on an order');
      const trigger = { app_id: app.id, workflow_id, event_types: ['order_paid'] };
      await world.api('POST', '/api/v1/triggers', trigger);
      const event = await ended(app.webhook_url, { task: 'paid', metadata: { event_type: 'order_paid' } });
      expect(event.runs).toMatchObject([{ workflow_id }]);
    });

    it('takes only what X-Signature-256 signs from the moment it has a secret, while others stay open', async () => {
      const workflow_id = await workflow('signed');
      const sign = (secret: string, text = 'go') => {
        const body = { workflow_id, task: text };
        return post(app.webhook_url ?? '', body, { 'x-signature-256': hmac(secret, JSON.stringify(body)) });
      };
      const made = { name: 'secret of the shop', type: 'text', fields: { signing_secret: 'a-secret-of-the-shop' } };
      const { id: credential_id } = await world.api<{ id: string }>('POST', '/api/v1/credentials', made);
      const change = (fields: object) => world.ask('PATCH', `apps/${app.id}`, fields);
      expect((await change({ credential_id, signature: { scheme: 'hmac' } })).status).toBe(200);
      await until('what is not signed is refused', async () => {
        const { status } = await post(app.webhook_url ?? '', { workflow_id, task: 'forged' });
        return status === 401;
      });
      expect([(await sign('a-secret-of-the-shop')).status, (await sign('a-secret-of-nobody')).status]).toEqual([
        200, 401,
      ]);
      await ended(neighbour.webhook_url, { workflow_id, task: 'unsigned' });
      const fields = { signing_secret: 'another-of-the-shop' };
      expect((await world.ask('PATCH', `credentials/${credential_id}`, { fields })).status).toBe(200);
      await until('the new secret is in force', async () => (await sign('another-of-the-shop')).status === 200);
      expect((await sign('a-secret-of-the-shop')).status).toBe(401);
    });

    it('has another address at once when its token is rotated, and the old one ends, while others keep theirs', async () => {
      const old = app.webhook_url ?? '';
      const { status, body } = await world.ask<ContractApp>('POST', `apps/${app.id}/rotate-token`, {
        grace_seconds: 0,
      });
      expect([status, body.webhook_url === old]).toEqual([200, false]);
      await until('the old one is gone', async () => [404, 410].includes((await post(old, { task: 'x' })).status));
      await until('the new one is known', async () => (await fetch(body.webhook_url ?? '')).status === 405);
      expect((await fetch(neighbour.webhook_url ?? '')).status).toBe(405);
    });
  });
}
