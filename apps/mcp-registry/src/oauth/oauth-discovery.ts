import { type Egress } from '#libs/egress';
import { Problem } from '#libs/service-kit';
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
  registerClient,
  RegistrationRejectedError,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import { guardedFetch } from '../mcp/guarded-fetch.js';
import { toMcpError } from '../mcp/mcp-error.js';
import { plainText } from '../tools/plain-text.js';
import type { RegisteredClient } from '../credentials/vault-credentials.js';

/** What it takes to connect to a protected MCP server. */
export interface ProtectedServer {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** The resource that tokens are for (RFC 8707). */
  resource: string;
  scopes: string[];
}

const documentBytes = 512 * 1024;
const knownMethods = ['client_secret_basic', 'client_secret_post', 'none'];

/** Finds the authorization server of MCP servers (RFC 9728, RFC 8414) and registers with it (RFC 7591). */
export class OauthDiscovery {
  private readonly fetch: FetchLike;

  constructor(egress: Egress, timeoutMs: number) {
    this.fetch = guardedFetch(egress, {
      answerMs: timeoutMs,
      answerBytes: documentBytes,
      streamBytes: documentBytes,
      silenceMs: timeoutMs,
    });
  }

  /** @throws Problem 422 `oauth_not_found | oauth_resource_mismatch | oauth_without_pkce` */
  async find(url: URL): Promise<ProtectedServer> {
    const challenge = await this.challenge(url);
    const { resourceMetadataUrl } = challenge;
    const found = await discoverOAuthServerInfo(url, {
      fetchFn: this.fetch,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
    }).catch((error: unknown) => {
      throw notFound(toMcpError(error).message);
    });
    const { authorizationServerMetadata: metadata, resourceMetadata } = found;
    if (!metadata) throw notFound('its authorization server has no metadata');
    const resource = resourceMetadata?.resource ?? resourceUrlFromServerUrl(url).href;
    if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
      throw new Problem(
        422,
        'oauth_resource_mismatch',
        `The metadata of this URL is for another resource, ${resource}.`,
      );
    }
    if (!metadata.code_challenge_methods_supported?.includes('S256')) {
      throw new Problem(
        422,
        'oauth_without_pkce',
        `The metadata of the authorization server ${metadata.issuer} does not announce PKCE (S256), which is required.`,
      );
    }
    const scopes = challenge.scope?.split(' ') ?? resourceMetadata?.scopes_supported ?? [];
    return { issuer: metadata.issuer, metadata, resource, scopes: scopes.filter((scope) => scope !== '') };
  }

  /** @throws Problem 422 `oauth_registration_refused` */
  async register({ issuer, metadata, scopes }: ProtectedServer, redirectUri: string): Promise<RegisteredClient> {
    if (!metadata.registration_endpoint) {
      throw refused(`${issuer} does not offer dynamic registration: register there by hand, and pass client_id`);
    }
    const method = methodFor(metadata);
    const ask = (scope: string) =>
      registerClient(issuer, {
        metadata,
        clientMetadata: {
          client_name: 'Gatehouse',
          redirect_uris: [redirectUri],
          application_type: applicationType(redirectUri),
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: method,
        },
        ...(scope ? { scope } : {}),
        fetchFn: this.fetch,
      });
    const wanted = scopes.join(' ');
    const client = await ask(wanted)
      .catch((error: unknown) => {
        // Some servers list only scopes of their own here, yet grant a resource's scopes when asked for tokens.
        if (wanted && error instanceof RegistrationRejectedError && error.status === 400) return ask('');
        throw error;
      })
      .catch((error: unknown) => {
        throw refused(reasonOf(error));
      });
    return {
      client_id: client.client_id,
      ...(client.client_secret ? { client_secret: client.client_secret } : {}),
      token_auth_method: client.token_endpoint_auth_method ?? (client.client_secret ? method : 'none'),
    };
  }

  /** The challenge that the server sends to a request without a token. */
  private async challenge(url: URL): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
    try {
      const answer = await this.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
      await answer.body?.cancel();
      return answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
    } catch (error) {
      throw notFound(toMcpError(error).message);
    }
  }
}

/** Servers of OpenID take what says nothing for a web application, and refuse it an address of this machine. */
function applicationType(redirectUri: string): 'native' | 'web' {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(redirectUri).hostname) ? 'native' : 'web';
}

/** The safest method that the server offers, with a client secret if possible. */
export function methodFor(metadata: AuthorizationServerMetadata): string {
  const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return knownMethods.find((method) => offered.includes(method)) ?? 'client_secret_basic';
}

const notFound = (why: string): Problem =>
  new Problem(422, 'oauth_not_found', `No authorization server was found for this URL: ${why}.`);

/** The authorization server's own words: a person has to act on them. */
function reasonOf(error: unknown): string {
  if (!(error instanceof RegistrationRejectedError)) return toMcpError(error).message;
  return `HTTP ${error.status} ${plainText(error.body).slice(0, 300)}`;
}

const refused = (why: string): Problem =>
  new Problem(422, 'oauth_registration_refused', `Gatehouse could not register as a client: ${why}.`);
