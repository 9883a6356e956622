import type { InstalledApp } from './api.js';
import { type FakeAdapter, openFakeAdapter } from './fake-adapter.js';
import type { System } from './system.js';

export const mebibyte = 1_048_576;
export const secret = 'a secret of the sender';
export const standardSecret = `whsec_${Buffer.from('a standard secret').toString('base64')}`;

export type WebhookApps = Record<
  'hmac' | 'standard' | 'custom' | 'provider' | 'large' | 'paused' | 'disabled',
  InstalledApp
>;

/** An adapter that declares its webhooks' verification and handshake. */
export function openDeclared(): Promise<FakeAdapter> {
  const webhook = {
    verification: { scheme: 'hmac', header: 'x-signature-256', prefix: 'sha256=', secret_fields: ['signing_secret'] },
    handshake: {
      method: 'GET',
      match: { query: 'mode', equals: 'subscribe' },
      respond: { query: 'challenge' },
      verify_token: { query: 'verify_token', field: 'verify_token' },
    },
  };
  return openFakeAdapter('declared', webhook, [
    { key: 'SECRET', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' },
    { key: 'VERIFY_TOKEN', type: 'text', label: 'Verify token', maps_to: 'verify_token' },
  ]);
}

/**
 * One App for each way in which a webhook is verified, limited or held.
 * @param adapterUrl of the adapter that declares its own
 */
export async function installApps(system: System, adapterUrl: string): Promise<WebhookApps> {
  const install = (body: object): Promise<InstalledApp> => system.api<InstalledApp>('POST', '/api/v1/apps', body);
  const builtin = async (name: string, fields: Record<string, string>, signature: object): Promise<InstalledApp> =>
    install({ name, kind: 'builtin', credential_id: await system.credential(fields), signature });
  const inState = async (state: string): Promise<InstalledApp> => {
    const app = await install({ name: state, kind: 'builtin' });
    await system.api('PATCH', `/api/v1/apps/${app.id}`, { state });
    return app;
  };
  const adapter = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapterUrl });
  return {
    hmac: await builtin('hmac', { signing_secret: secret, signing_secret_next: 'the next' }, { scheme: 'hmac' }),
    standard: await builtin('standard', { signing_secret: standardSecret }, { scheme: 'standard-webhooks' }),
    custom: await builtin(
      'custom',
      { signing_secret: secret },
      { scheme: 'hmac', header: 'X-Mac', algorithm: 'sha512', encoding: 'base64', prefix: 'v0=' },
    ),
    provider: await install({
      name: 'provider',
      kind: 'adapter',
      adapter_id: adapter.id,
      credential_id: await system.credential({ signing_secret: secret, verify_token: 'right' }),
    }),
    large: await install({ name: 'large', kind: 'builtin', max_body_bytes: 4 * mebibyte }),
    paused: await inState('paused'),
    disabled: await inState('disabled'),
  };
}
