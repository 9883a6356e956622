import * as oauth from 'openid-client';
import type { Secret } from '../sealing/secret.js';
import type { ProviderConfig } from './provider-config.js';
import { normalise } from './token-answer.js';
import { configuration, type OauthClient, type Transport } from './token-endpoint.js';
import { TokenRefused } from './token-refused.js';

/** Errors after which the token is dead, or cannot be revoked and expires by itself. */
const settled = new Set(['invalid_token', 'invalid_grant', 'token_revoked', 'unsupported_token_type']);

/**
 * Revokes one token (RFC 7009). If the provider does not know the token, that counts as success.
 * @throws TokenRefused when the provider did not revoke it; with the class `client` it never will
 */
export async function revokeToken(
  provider: ProviderConfig,
  client: OauthClient,
  token: Secret,
  hint: 'refresh_token' | 'access_token',
  transport: Transport,
): Promise<void> {
  const config = configuration(provider, client);
  let thrown: unknown = null;
  config[oauth.customFetch] = async (url, { body, headers }) => {
    try {
      const answer = await transport(
        url,
        await new Response(body).text(),
        Object.fromEntries(new Headers(headers).entries()),
      );
      if (answer.status < 200 || answer.status > 299) {
        throw TokenRefused.of(normalise(answer, provider.quirks), provider.quirks);
      }
      return new Response(null, { status: 200 });
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  try {
    await oauth.tokenRevocation(config, token.reveal(), { token_type_hint: hint });
  } catch (error) {
    if (thrown instanceof TokenRefused && settled.has(thrown.code)) return;
    throw thrown ?? error;
  }
}
