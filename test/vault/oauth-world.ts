import { freePort } from '#libs/testing';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { Browser } from './browser.js';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.js';
import { startManifests } from './manifests.js';
import { startVaults, type VaultOptions, type Vaults } from './vault-processes.js';

/** Vaults, a provider, and an adapter `acme` that declares it. */
export interface OauthWorld {
  vaults: Vaults;
  provider: AuthorizationServer;
  redirectUri: string;
  /** An oauth2 credential of `acme`, not connected. */
  credential(name: string, grant?: 'authorization_code' | 'client_credentials'): Promise<string>;
  /** Goes to the provider and back, as `account`; stops before it opens the callback. */
  authorize(credentialId: string, account?: string, browser?: Browser): Promise<{ callback: URL; browser: Browser }>;
  connect(credentialId: string, account?: string): Promise<void>;
  connected(name: string): Promise<string>;
  /** Expires the access token, as time would. */
  expire(credentialId: string): Promise<void>;
  row(
    credentialId: string,
  ): Promise<{ state: string; reason: string | null; version: number; attempt_id: string | null }>;
  close(): Promise<void>;
}

export async function startWorld(
  options: Partial<VaultOptions> & { oauthConfig?: object; accessTokenSeconds?: number } = {},
): Promise<OauthWorld> {
  const publicPort = await freePort();
  const redirectUri = `http://127.0.0.1:${publicPort}/api/v1/oauth/callback/acme`;
  const provider = await startAuthorizationServer({
    redirectUris: [redirectUri],
    ...(options.accessTokenSeconds ? { accessTokenSeconds: options.accessTokenSeconds } : {}),
  });
  const config = {
    issuer: provider.url,
    scopes: ['openid', 'offline_access', 'mail'],
    // OpenID Connect Core 11: offline access requires consent.
    extra_authorize_params: { prompt: 'consent' },
    ...options.oauthConfig,
  };
  const manifests = await startManifests({ acme: config });
  const vaults = await startVaults({ count: 1, ...options, publicPort, gatewayUrl: manifests.url });

  const world: OauthWorld = {
    vaults,
    provider,
    redirectUri,
    credential: async (name, grant = 'authorization_code') => {
      const fields = { client_id: 'gatehouse', client_secret: 'a-client-secret' };
      const made = await vaults.call<Schema<'CredentialView'>>('POST', '/api/v1/credentials', {
        name,
        type: 'oauth2',
        grant,
        fields,
      });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      const id = made.body.id as string;
      const configured = await vaults.call<Schema<'Problem'>>('PUT', `/api/v1/credentials/${id}/oauth`, {
        provider: 'acme',
      });
      if (configured.status !== 200) throw new Error(JSON.stringify(configured.body));
      return id;
    },
    authorize: async (credentialId, account = 'alice', browser = new Browser()) => {
      const started = await vaults.call<Schema<'ConnectStarted'>>(
        'POST',
        `/api/v1/credentials/${credentialId}/connect`,
        {},
      );
      if (started.status !== 201) throw new Error(JSON.stringify(started.body));
      browser.set(vaults.urls[0] ?? '', started.headers.get('set-cookie') ?? '');
      browser.set(provider.url, `account=${account}`);
      return { callback: await browser.follow(started.body.authorization_url, redirectUri), browser };
    },
    connect: async (credentialId, account) => {
      const { callback, browser } = await world.authorize(credentialId, account);
      const answer = await browser.get(callback.href);
      if (answer.status !== 200) throw new Error(await answer.text());
    },
    connected: async (name) => {
      const id = await world.credential(name);
      await world.connect(id);
      await provider.configure({ reset: true });
      return id;
    },
    expire: async (credentialId) => {
      await vaults.db.query(
        `UPDATE vault.oauth_grant SET at_expires_at = now() - interval '1 s', obtained_at = now() - interval '1 hour',
           refresh_due_at = now() - interval '1 s' WHERE credential_id = $1`,
        [credentialId],
      );
    },
    row: async (credentialId) => {
      const { rows } = await vaults.db.query(
        'SELECT state, reason, version, attempt_id FROM vault.oauth_grant WHERE credential_id = $1',
        [credentialId],
      );
      return rows[0];
    },
    close: async () => {
      await vaults.close();
      await Promise.all([provider.close(), manifests.close()]);
    },
  };
  return world;
}
