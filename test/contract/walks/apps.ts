import { verifyStandardWebhooks } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import type { InstalledApp } from '../../system/api.js';
import { openDocumentAdapter } from '../../system/document-adapter.js';
import { post } from '../../system/webhook.js';
import { askOf, type Ground, type Listed, type Named } from './walk.js';

const manifest = {
  schema_version: '1.0',
  slug: 'walked-skill',
  name: 'Walked',
  description: 'A skill without an adapter.',
  category: 'Integration',
  skill: { name: 'Walked', knowledge: 'How to walk.' },
};

/** Adapters, listings, Apps and document sources. */
export function walkApps(ground: () => Ground): void {
  const ask = askOf(ground);

  it('for adapters and their manifests', async () => {
    const { id } = await ask('POST', 'adapters', { manifest });
    await ask('GET', 'adapters');
    await ask('GET', `adapters/${id}`);
    await ask('POST', `adapters/${id}/refresh`, { manifest: { ...manifest, description: 'Said otherwise.' } });
    const guarded = { ...manifest, credentials: [{ key: 'TOKEN', type: 'text', label: 'Token', maps_to: 'token' }] };
    const { version } = await ask<{ version: { number: number } }>('POST', `adapters/${id}/refresh`, {
      manifest: guarded,
    });
    await ask('POST', `adapters/${id}/versions/${version.number}/approve`);
    await ask('GET', `adapters/${id}/versions`);
    await ask('GET', `adapters/${id}/versions/${version.number}`);
    await ask('GET', `adapters/${id}/health`);
    await ask('POST', `adapters/${id}/roll-back`, { version: 1 });
  });

  it('for listings', async () => {
    await ask('GET', 'listings');
    await ask('GET', 'listings/webhook');
    await ask('GET', 'listings/webhook/senders');
    await ask('POST', 'listings/webhook/install', { name: 'listed' });
    const fields = { origins: 'https://www.example.com' };
    const origins = await ask('POST', 'credentials', { name: 'walked origins', type: 'text', fields });
    const chat = await ask('POST', 'listings/webchat/install', { credentials: { WEB_CHAT_ORIGINS: origins.id } });
    await ask('PUT', `apps/${chat.id}/web-chat`, { mail_app_id: null });
    await ask('GET', `apps/${chat.id}/web-chat`);
  });

  it('for apps', async () => {
    const signature = { scheme: 'hmac', algorithm: 'sha512' };
    const { id } = await ask('POST', 'apps', { name: 'walked', kind: 'builtin', signature });
    await ask('GET', 'apps');
    await ask('GET', `apps/${id}`);
    await ask('PATCH', `apps/${id}`, { name: 'walked on' });
    await ask('PATCH', `apps/${id}`, { sender: 'stripe' });
    await ask('POST', `apps/${id}/rotate-token`, {});
    await ask('POST', `apps/${id}/verify`);
    await ask('GET', `apps/${id}/samples`);
    await ask('POST', `apps/${id}/samples`, { kind: 'unsigned' });
    await ask('PUT', `channels/${id}`, { reply_address: ground().sink.url, inbox_mode: 'collect' });
    await ask('PATCH', `channels/${id}`, { route_policy: 'triggers' });
    await ask('PATCH', `channels/${id}`, { route_policy: 'both', reply_ttl_seconds: 3_600 });
    await ask('GET', `channels/${id}`);
    await ask('GET', 'channels');
    await ask('DELETE', `apps/${id}`);
  });

  it('for alert rules, whose alerts are deliveries of an App', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const credential_id = await ground().system.credential({ signing_secret: secret });
    const app = { name: 'alerting', kind: 'builtin', credential_id, signature: { scheme: 'hmac' } };
    const { id: app_id } = await ask('POST', 'apps', app);
    const receivers = [{ app_id, address: ground().sink.url }];
    const { id } = await ask('POST', 'alert-rules', { name: 'Operations', codes: ['model_away'], receivers });
    await ask('GET', 'alert-rules');
    await ask('GET', `alert-rules/${id}`);
    await ask('PATCH', `alert-rules/${id}`, { after_minutes: 5 });
    await ask('POST', `alert-rules/${id}/mute`, { hours: 1 });
    const tested = await ask<Listed>('POST', `alert-rules/${id}/test`);
    const arrived = await until('it calls', () =>
      ground().sink.arrivals.find(({ json }) => String(json['text']).includes('Test: this is how the rule')),
    );
    expect(verifyStandardWebhooks({ secret, headers: arrived.headers, body: arrived.body })).toMatchObject({
      ok: true,
    });
    expect(arrived.json).toMatchObject({ reply_context: { alert: { id: tested.data[0]?.id, kind: 'test' } } });
    await until('its history says so', async () => {
      const { data } = await ask<{ data: { state: string }[] }>('GET', `alerts?rule_id=${id}`);
      return data[0]?.state === 'sent';
    });
    await ask('POST', 'attention/mute', { cause: 'model_away models', hours: 1 });
    await ask('POST', 'attention/unmute', { cause: 'model_away models' });
    await ask('DELETE', `alert-rules/${id}`);
    await ask('DELETE', `apps/${app_id}`);
  });

  it('for refusals', async () => {
    const fields = { signing_secret: 'a secret' };
    const credential_id = await ground().system.credential(fields);
    const app = { name: 'refusing', kind: 'builtin', credential_id, signature: { scheme: 'hmac' } };
    const { webhook_url: url } = await ask<InstalledApp>('POST', 'apps', app);
    await until('the webhook is refused', async () => (await post(url, {})).status === 401);
    await until('the refusal is kept', async () => (await ask<Listed>('GET', 'refusals')).data[0]);
  });

  it('for sources', async () => {
    const library = await openDocumentAdapter(3);
    try {
      const { id: adapter_id } = await ask('POST', 'adapters', { url: library.url });
      const app = await ask('POST', 'apps', { name: 'library', kind: 'adapter', adapter_id });
      const { id } = await ask('POST', 'sources', { app_id: app.id, name: 'books', resource_path: 'f' });
      await ask('GET', 'sources');
      await ask('GET', `sources/${id}`);
      await ask('PATCH', `sources/${id}`, { name: 'more books' });
      const run = await ask('POST', `sources/${id}/sync`);
      await until(
        'the source is synchronised',
        async () => (await ask<{ state: string }>('GET', `sources/${id}/runs/${run.id}`)).state === 'succeeded',
      );
      await ask('GET', `sources/${id}/runs`);
      const { data } = await ask<{ data: Named[] }>('GET', `sources/${id}/documents`);
      await ask('GET', `sources/${id}/documents/${data[0]?.id}`);
      await ask('GET', `sources/${id}/documents/${data[0]?.id}/content`).catch(isText);
      await ask('DELETE', `sources/${id}`);
    } finally {
      await library.close();
    }
  });
}

/** The bytes of a document are checked, but not parsed as JSON. */
function isText(error: unknown): void {
  if (!(error instanceof SyntaxError)) throw error;
}
