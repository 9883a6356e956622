import { until } from '#libs/testing';
import { type AuthorizationServer, startAuthorizationServer } from '../vault/authorization-server.js';
import { Browser } from '../vault/browser.js';
import type { InstalledApp } from './api.js';
import { scrape, sumOf } from './metrics.js';
import { type OauthAdapter, openOauthAdapter } from './oauth-adapter.js';
import { startSystem, type System } from './system.js';

interface Credential {
  id: string;
  status: string;
  account: { id: string; name: string } | null;
}

describe('an App whose account was connected by OAuth', () => {
  let system: System;
  let provider: AuthorizationServer;
  let adapter: OauthAdapter;
  let credential: Credential;
  let app: InstalledApp;
  let redirectUri: string;

  beforeAll(async () => {
    system = await startSystem();
    redirectUri = `${system.origin('portal')}/api/v1/oauth/callback/orbit`;
    provider = await startAuthorizationServer({ redirectUris: [redirectUri], accessTokenSeconds: 20 });
    adapter = await openOauthAdapter(provider.url);
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const fields = { client_id: 'gatehouse', client_secret: 'a-client-secret' };
    const made = { name: 'orbit', type: 'oauth2', grant: 'authorization_code', adapter_slug: 'orbit', fields };
    credential = await system.api('POST', '/api/v1/credentials', made);
    const install = { name: 'orbit', kind: 'adapter', adapter_id, credential_id: credential.id };
    app = await system.api('POST', '/api/v1/apps', install);
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([adapter?.close(), provider?.close()]);
  });

  /** Goes to the provider and back through the portal, as `account`. @returns the final page */
  const connect = async (account: string): Promise<string> => {
    const portal = system.origin('portal');
    const started = await fetch(`${portal}/api/v1/credentials/${credential.id}/connect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { authorization_url: url } = (await started.json()) as { authorization_url: string };
    const browser = new Browser();
    browser.set(portal, started.headers.get('set-cookie') ?? '');
    browser.set(provider.url, `account=${account}`);
    const callback = await browser.follow(url, redirectUri);
    return (await browser.get(callback.href, { accept: 'text/html' })).text();
  };
  const verifyApp = (): Promise<{ ok: boolean; user?: string }> => system.api('POST', `/api/v1/apps/${app.id}/verify`);
  const read = (): Promise<Credential> => system.api('GET', `/api/v1/credentials/${credential.id}`);

  it('has no account before the consent, and the one that the adapter names after it', async () => {
    expect(await read()).toMatchObject({ status: 'pending', account: null });
    expect(await connect('alice')).toContain('Connected');
    expect(adapter.uses).toMatchObject([{ status: 200 }]);
    expect(await read()).toMatchObject({ status: 'active', account: { id: 'orbit-alice', name: 'alice' } });
  });

  it('gets a token that is valid for the duration of each call, while tokens come and go', async () => {
    adapter.uses.length = 0;
    await until('the App worked with three tokens', async () => {
      expect(await verifyApp()).toMatchObject({ ok: true, user: 'alice' });
      return new Set(adapter.uses.map(({ token }) => token)).size >= 3;
    });
    expect(new Set(adapter.uses.map(({ status }) => status))).toEqual(new Set([200]));
    const refreshes = await provider.refreshes();
    expect(refreshes.length).toBeGreaterThanOrEqual(2);
    expect(new Set(refreshes.map(({ refreshToken }) => refreshToken)).size).toBe(refreshes.length);
  });

  it('asks before another account replaces it, which only the adapter can detect', async () => {
    expect(await connect('mallory')).toContain('Different account');
    expect(await verifyApp()).toMatchObject({ user: 'alice' });
    expect(await read()).toMatchObject({ account: { id: 'orbit-alice' } });
  });

  it('changes the metric of GatehouseRefreshesFail when its provider is broken', async () => {
    const failed = () =>
      scrape(system, 'credential-vault').then((text) =>
        sumOf(text, 'gatehouse_oauth_refreshes_total', { outcome: 'failed' }),
      );
    const before = await failed();
    await provider.configure({ faults: [{ kind: 'status', status: 503 }] });
    await until('a refresh failed', async () => {
      await verifyApp().catch(() => null);
      return (await failed()) > before;
    });
    await until('the App works again', async () => (await verifyApp()).ok);
  });
});
