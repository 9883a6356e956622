import * as oauth from 'openid-client';
import type { ClientAuth } from 'openid-client';
import { createHash } from 'node:crypto';
import { Secret } from '../sealing/secret.js';
import { answerFieldsOf } from './answer-fields.js';
import type { ProviderConfig } from './provider-config.js';
import { at } from './quirks.js';
import { normalise, type RawAnswer } from './token-answer.js';
import { lifeOf, secondsOf } from './token-life.js';
import { TokenRefused } from './token-refused.js';

const maxScopes = 500;

export interface OauthClient {
  id: string;
  secret: Secret | null;
}

export type TokenRequest =
  | { grant: 'refresh_token'; refreshToken: Secret }
  | { grant: 'client_credentials' }
  | { grant: 'authorization_code'; callbackUrl: URL; verifier: Secret };

/** Sends the form to the token endpoint, or replays a stored answer. */
export type Transport = (url: string, form: string, headers: Record<string, string>) => Promise<RawAnswer>;

export interface IssuedTokens {
  accessToken: Secret;
  refreshToken: Secret | null;
}

export interface Tokens extends IssuedTokens {
  /** Seconds from the request; null for a token that does not expire. */
  expiresIn: number | null;
  /** Seconds after which the refresh token expires, if the provider says so. */
  refreshExpiresIn: number | null;
  /** Null when the answer does not name them: then they are the requested ones (RFC 6749 section 5.1). */
  scopes: string[] | null;
  /** Digest of the tokens' account; null when the answer does not identify it. */
  account: string | null;
  /** What else the answer says, such as `instance_url`. */
  answerFields: ReadonlyMap<string, Secret>;
}

/**
 * One token request, built and checked by openid-client over our own transport: the same code reads a fresh answer and
 * one from the journal.
 * @throws TokenRefused with the class of the failure; whatever the transport throws
 */
export async function requestTokens(
  provider: ProviderConfig,
  client: OauthClient,
  request: TokenRequest,
  transport: Transport,
): Promise<Tokens> {
  let thrown: unknown = null;
  let body: Record<string, unknown> | null = null;
  const config = configuration(provider, client);
  config[oauth.customFetch] = async (url, { body: form, headers }) => {
    try {
      const answer = normalise(
        await transport(url, await new Response(form).text(), Object.fromEntries(new Headers(headers).entries())),
        provider.quirks,
      );
      body = answer.fields;
      if (answer.status !== 200 || !body?.['access_token']) {
        throw TokenRefused.of(answer, provider.quirks);
      }
      return Response.json(onlyToken(body), { status: 200 });
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  try {
    const answer = await send(config, request, provider);
    return tokensOf(answer, body ?? {}, provider, client.id);
  } catch (error) {
    if (thrown) throw thrown;
    // openid-client's messages may quote the answer, so only its code is passed on.
    throw new TokenRefused('malformed', errorCodeOf(error));
  }
}

function send(config: oauth.Configuration, request: TokenRequest, provider: ProviderConfig) {
  const resource = resourceOf(provider);
  if (request.grant === 'refresh_token') {
    return oauth.refreshTokenGrant(config, request.refreshToken.reveal(), resource);
  }
  if (request.grant === 'client_credentials') {
    const scope = provider.scopes.join(provider.scope_separator);
    return oauth.clientCredentialsGrant(config, { ...(scope ? { scope } : {}), ...resource });
  }
  const expectedState = request.callbackUrl.searchParams.get('state') ?? '';
  const verifier = provider.pkce ? { pkceCodeVerifier: request.verifier.reveal() } : {};
  return oauth.authorizationCodeGrant(config, request.callbackUrl, { expectedState, ...verifier }, resource);
}

/** RFC 8707 section 2: the same in authorization and token requests. */
export function resourceOf({ resource }: ProviderConfig): Record<string, string> {
  return resource ? { resource } : {};
}

/** Token endpoint, client and client authentication. Only the transport has time-outs: no call is aborted here. */
export function configuration(provider: ProviderConfig, client: OauthClient): oauth.Configuration {
  const secret = client.secret?.reveal();
  const method = secret === undefined ? 'none' : provider.token_auth_method;
  const auth = {
    client_secret_basic: () => clientSecretBasic(secret ?? ''),
    client_secret_post: () => oauth.ClientSecretPost(secret),
    none: () => oauth.None(),
  }[method]();
  const server = {
    issuer: provider.issuer ?? new URL(provider.token_url ?? 'https://issuer.invalid').origin,
    ...(provider.authorization_url ? { authorization_endpoint: provider.authorization_url } : {}),
    ...(provider.token_url ? { token_endpoint: provider.token_url } : {}),
    ...(provider.revocation_url ? { revocation_endpoint: provider.revocation_url } : {}),
  };
  const config = new oauth.Configuration(server, client.id, {}, auth);
  delete config.timeout;
  // Reading the configuration already refuses http, except for loopback.
  oauth.allowInsecureRequests(config);
  return config;
}

/**
 * What openid-client reads. Everything else is read here, so that no member in an odd form loses a token that was
 * issued. The ID token's signature need not be checked, since it came directly from the issuer (OIDC Core 3.1.3.7).
 */
function onlyToken({ access_token, token_type }: Record<string, unknown>): Record<string, unknown> {
  return { access_token, token_type };
}

function tokensOf(
  answer: oauth.TokenEndpointResponse,
  body: Record<string, unknown>,
  provider: ProviderConfig,
  clientId: string,
): Tokens {
  const { scope, refresh_token: refreshToken } = body;
  const life = lifeOf(body) ?? provider.quirks.default_expires_in ?? jwtLife(answer.access_token);
  return {
    accessToken: new Secret(answer.access_token),
    refreshToken: typeof refreshToken === 'string' ? new Secret(refreshToken) : null,
    expiresIn: life,
    refreshExpiresIn: secondsOf(body['refresh_token_expires_in']) ?? secondsOf(body['refresh_expires_in']),
    scopes: typeof scope === 'string' ? scopesOf(scope) : null,
    account: accountOf(body, provider, clientId),
    answerFields: answerFieldsOf(body),
  };
}

/** From the fields that the manifest names, else from the subject of the ID token. */
function accountOf(body: Record<string, unknown>, provider: ProviderConfig, clientId: string): string | null {
  const named = (provider.quirks.account_fields ?? []).map((path) => at(body, path));
  const parts = named.length > 0 ? named : [subjectOf(body['id_token'], provider, clientId)];
  if (parts.some((one) => one === undefined || one === null)) return null;
  return createHash('sha256')
    .update(JSON.stringify([provider.issuer ?? provider.token_url, ...parts]))
    .digest('base64url');
}

function subjectOf(idToken: unknown, { issuer }: ProviderConfig, clientId: string): string | null {
  const claims = typeof idToken === 'string' ? claimsOf(idToken) : null;
  const meant = claims?.['iss'] === issuer && [claims?.['aud']].flat().includes(clientId);
  return meant && typeof claims?.['sub'] === 'string' ? claims['sub'] : null;
}

/** Life of a JWT (RFC 7519) by its own `iat` and `exp`, in seconds; null for anything else. */
function jwtLife(token: string): number | null {
  const claims = claimsOf(token);
  const [from, to] = [Number(claims?.['iat']), Number(claims?.['exp'])];
  return to > from ? to - from : null;
}

function claimsOf(jwt: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Scopes as RFC 6749 allows them: anything else could not be stored. */
function scopesOf(scope: string): string[] {
  return scope
    .split(/[\s,]+/)
    .filter((one) => /^[\x21-\x7e]{1,256}$/.test(one))
    .slice(0, maxScopes);
}

function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code.toLowerCase() : 'malformed_answer';
}

/**
 * HTTP Basic with id and secret form-encoded (RFC 6749 section 2.3.1 and appendix B): letters, digits and `-._*` stay as
 * they are. openid-client escapes those four too, which providers that do not decode take for another client.
 */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const pair = `${formEncoded(id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
  };
}

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
