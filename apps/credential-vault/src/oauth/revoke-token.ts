import * as oauth from 'openid-client';
import type { Secret } from '../sealing/secret.js';
import type { ProviderConfig } from './provider-config.js';
import { configuration, type OauthClient, type Transport } from './token-endpoint.js';

/**
 * Revokes one token (RFC 7009). A provider that does not know the token is content with it, and so are we.
 * @throws Error when the provider did not confirm: try again
 */
export async function revokeToken(
  provider: ProviderConfig,
  client: OauthClient,
  token: Secret,
  hint: 'refresh_token' | 'access_token',
  transport: Transport,
): Promise<void> {
  const config = configuration(provider, client);
  let status = 0;
  config[oauth.customFetch] = async (url, { body, headers }) => {
    const answer = await transport(url, String(body ?? ''), Object.fromEntries(new Headers(headers).entries()));
    status = answer.status;
    return new Response(null, { status: status >= 200 && status < 300 ? 200 : status });
  };
  try {
    await oauth.tokenRevocation(config, token.reveal(), { token_type_hint: hint });
  } catch (error) {
    // A refusal for good (an unknown token type, a token that is no more) will not change by asking again.
    if (status < 400 || status >= 500 || status === 408 || status === 429) throw error;
  }
}
