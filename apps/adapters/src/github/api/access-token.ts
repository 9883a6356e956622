import { createHash } from 'node:crypto';
import { deliverFailure, type Credentials, type DeliverFailure } from '#libs/adapter-sdk';
import { isHeaderSafe } from '../../provider-calls/header-safety.js';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { appJwt, readApp } from './app-jwt.js';
import { callWithToken, type GithubSettings } from './github-api.js';

/** An installation's token lives for an hour; a call fails if its token expires meanwhile. */
const SPARE_MS = 5 * 60_000;
const MAX_TOKENS = 500;

/** Tokens of installations, to save each call a second one. They are lost with the process, which then asks again. */
const tokens = new Map<string, { token: string; expiresAtMs: number }>();

/** The token to call with: as given, or made for the installation of a GitHub App. */
export async function accessToken(
  credentials: Credentials,
  settings: GithubSettings,
): Promise<{ token: string } | DeliverFailure> {
  const given = textOf(credentials.token) ?? textOf(credentials.access_token);
  if (given !== undefined) {
    return isHeaderSafe(given)
      ? { token: given }
      : deliverFailure('auth_failed', 'the token cannot be sent in a header');
  }
  const app = readApp(credentials);
  if (app?.installationId === undefined) {
    return deliverFailure('auth_failed', 'neither a token nor an app id, private key and installation id are set');
  }
  const now = Date.now();
  const key = createHash('sha256')
    .update(JSON.stringify([settings.apiUrl, app]))
    .digest('hex');
  const known = tokens.get(key);
  if (known && known.expiresAtMs - SPARE_MS > now) return { token: known.token };

  const jwt = appJwt(app, new Date(now));
  if (jwt === undefined) return deliverFailure('auth_failed', 'the private key of the app cannot be read');
  const path = `/app/installations/${app.installationId}/access_tokens`;
  const answer = await callWithToken(path, { method: 'POST', json: {} }, jwt, settings);
  // Nothing was posted yet: a missing installation is a credentials failure, and a lost answer may be retried.
  if (!answer.ok) return asCredentialFailure(answer);
  const { token, expires_at } = objectOf(answer.body);
  const made = textOf(token);
  if (made === undefined || !isHeaderSafe(made))
    return deliverFailure('provider_unavailable', 'GitHub issued no token');
  const expiresAtMs = Date.parse(textOf(expires_at) ?? '');
  if (!Number.isNaN(expiresAtMs)) remember(key, { token: made, expiresAtMs });
  return { token: made };
}

function asCredentialFailure(failure: DeliverFailure): DeliverFailure {
  if (failure.error === 'not_found') return deliverFailure('auth_failed', 'the app is no longer installed');
  return failure.error === 'timeout'
    ? deliverFailure('provider_unavailable', 'GitHub did not issue a token in time')
    : failure;
}

function remember(key: string, entry: { token: string; expiresAtMs: number }): void {
  const [oldest] = tokens.keys();
  if (tokens.size >= MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
  tokens.set(key, entry);
}

/** Removes a token from memory, so that no further call gets it. */
export function forgetToken(token: string): void {
  for (const [key, entry] of tokens) if (entry.token === token) tokens.delete(key);
}
