import { until } from '#libs/testing';
import type { InstalledApp } from '../../system/api.js';
import { post } from '../../system/webhook.js';
import type { ContractAdapter } from '../contract-process.js';
import { askOf, type Ground, type Listed, type Named } from './walk.js';

/** Consequences of an adapter: an unknown delivery, a renewal, and its own removal. */
export function walkAdapters(ground: () => Ground): void {
  const ask = askOf(ground);

  const install = async (adapter: ContractAdapter): Promise<{ app: InstalledApp; id: string }> => {
    const { id } = await ask('POST', 'adapters', { url: adapter.url });
    const app = await ask<InstalledApp>('POST', `listings/${adapter.slug}/install`, {});
    await ask('PUT', `channels/${app.id}`, { unknown_senders: 'open' });
    return { app, id };
  };

  it('for conformance runs', async () => {
    const { id } = await ask('POST', 'adapters', { url: `${ground().system.origin('adapters')}/telegram` });
    const run = await ask('POST', `adapters/${id}/conformance-runs`, {});
    await until(
      'the run has ended',
      async () =>
        (await ask<{ state: string }>('GET', `adapters/${id}/conformance-runs/${run.id}`)).state !== 'running',
    );
    await ask('GET', `adapters/${id}/conformance-runs`);
    await ask('DELETE', `adapters/${id}`);
  });

  it('for a delivery of which nobody knows whether it arrived, and that a person says has', async () => {
    const adapter = await ground().adapters.mount('lost', { credentials: [] });
    const { app } = await install(adapter);
    await adapter.answer('deliver', { drop: true });
    const { id } = await post(app.webhook_url, { from: 'jane', text: 'hello' });
    const lost = await until(
      'nobody knows whether the reply arrived',
      async () => (await ask<Listed>('GET', `deliveries?event_id=${id}&state=unknown`)).data[0],
    );
    const marked = await ask<Named & { state: string }>('POST', `deliveries/${lost.id}/mark-delivered`);
    expect(marked).toMatchObject({ id: lost.id, state: 'delivered', error: null });
    const { timeline } = await ground().system.reached(id, 'delivery', 'delivered');
    expect(timeline.find(({ outcome }) => outcome === 'delivered')).toMatchObject({ reason: 'marked_by_person' });
    expect(await adapter.calls('deliver')).toHaveLength(1);
  });

  it('for webhooks that a provider is asked for again', async () => {
    const webhook = { renew_seconds: 3_600, missed_since: true };
    const adapter = await ground().adapters.mount('renewed', { credentials: [], webhook });
    await adapter.answer('renew-webhook', { json: { ok: true } });
    const { app } = await install(adapter);
    await until('it was asked', async () => (await adapter.calls('renew-webhook')).length > 0);
    await ask('GET', `apps/${app.id}/webhook-renewal`);
    await ask('POST', `apps/${app.id}/webhook-renewal`);
    await ask('POST', `apps/${app.id}/missed`, { since: new Date(Date.now() - 60_000).toISOString() });
    await ask('GET', `apps/${app.id}/missed`);
  });

  it('for a provider that is asked for its events', async () => {
    const connect = { kind: 'poll' };
    const adapter = await ground().adapters.mount('fetched', { credentials: [], connect });
    await adapter.answer('poll', { json: { ok: true, events: [{ id: '1', body: '{}' }], cursor: '2' } });
    const { app } = await install(adapter);
    await ask('PUT', `apps/${app.id}/connection`);
    const connected = async () =>
      (await ask<{ state: string }>('GET', `apps/${app.id}/connection`)).state === 'connected';
    await until('it is connected', connected);
    await ask('DELETE', `apps/${app.id}/connection`);
  });

  it('for an adapter that is moved, renamed, disabled and unregistered', async () => {
    const adapter = await ground().adapters.mount('leaving', { credentials: [] });
    const { app, id } = await install(adapter);
    for (const change of [{ url: adapter.url }, { name: 'Ours' }, { disabled: true }, { disabled: false }]) {
      await ask('PATCH', `adapters/${id}`, change);
    }
    await ask('DELETE', `apps/${app.id}`);
    await ask('DELETE', `adapters/${id}`);
  });
}
