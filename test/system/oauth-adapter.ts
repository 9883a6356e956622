import { createAdapterServer, defineAdapter, deliverFailure, ignoredMessage, refuseWebhook } from '#libs/adapter-sdk';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the adapter waits before it uses a token, like one that does other work first. */
const slowMs = 1_000;

/** An adapter of an authorization server: it asks whose tokens it got, and records the results. */
export interface OauthAdapter {
  url: string;
  /** Every use of a token, with the provider's status. */
  uses: { token: string; status: number }[];
  close(): Promise<void>;
}

/** @param issuer the authorization server; its `/me` says whose a token is */
export async function openOauthAdapter(issuer: string): Promise<OauthAdapter> {
  const uses: OauthAdapter['uses'] = [];
  const adapter = defineAdapter({
    manifest: {
      schema_version: '1.0',
      slug: 'orbit',
      name: 'Orbit',
      description: 'Accounts that people connect by consent.',
      category: 'communication',
      capabilities: ['send'],
      credentials: [{ key: 'ORBIT', type: 'oauth2', label: 'Account', maps_to: 'access_token' }],
      oauth_config: {
        issuer,
        scopes: ['openid', 'offline_access'],
        extra_authorize_params: { prompt: 'consent' },
        // This provider's token answers do not say whose the tokens are: only the adapter can find out.
        quirks: { account_fields: ['team.id'] },
      },
    },
    verify: async ({ credentials }) => {
      const token = String(credentials.access_token);
      await sleep(slowMs);
      const answer = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${token}` } });
      uses.push({ token, status: answer.status });
      if (!answer.ok) return { ok: false, error: 'auth_failed' };
      const { sub } = (await answer.json()) as { sub: string };
      return { ok: true, user: sub, account: { id: `orbit-${sub}` } };
    },
    verifyWebhook: () => refuseWebhook('not_configured', 'it only sends'),
    parseInbound: () => ignoredMessage('it only sends'),
    deliver: () => deliverFailure('invalid_request', 'it only tells who it is'),
    format: ({ text }) => ({ text, format: 'plain', parts: [text], lossy: [] }),
  });
  const app = createAdapterServer([adapter], { version: '1' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/orbit`,
    uses,
    close: () => app.close(),
  };
}
