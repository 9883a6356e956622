import { type Egress } from '#libs/egress';
import { type Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { EGRESS } from '../mcp/connections.js';
import type { McpServer } from '../servers/mcp-server.entity.js';
import { Registration } from '../servers/registration.service.js';
import { checkedUrl } from '../servers/server-auth.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import type { RegisterByOauth } from './oauth.dto.js';
import { methodFor, OauthDiscovery, type ProtectedServer, type RegisteredClient } from './oauth-discovery.js';
import { VaultCredentials } from './vault-credentials.js';

/** Registers a server that wants OAuth 2.1: finds its authorization server, becomes its client, has the vault keep both. */
@Injectable()
export class OauthRegistration {
  private readonly discovery: OauthDiscovery;

  constructor(
    @Inject(EGRESS) egress: Egress,
    @Inject(SETTINGS) settings: RegistrySettings,
    @Inject(VaultCredentials) private readonly credentials: VaultCredentials,
    @Inject(Registration) private readonly registration: Registration,
  ) {
    this.discovery = new OauthDiscovery(egress, settings.MCP_CONNECT_TIMEOUT_MS);
  }

  /** @throws Problem of the discovery, the vault and the registration; nothing is left behind then */
  async register(caller: Principal, body: RegisterByOauth): Promise<McpServer> {
    const url = checkedUrl(body.url);
    const found = await this.discovery.find(url);
    const server = body.scopes ? { ...found, scopes: body.scopes } : found;
    const name = body.name ?? url.host;
    const config = configOf(server, body.client_secret || !body.client_id ? methodFor(server.metadata) : 'none');
    const { id, redirectUri } = await this.credentials.prepare(caller, name, config);
    try {
      const client = await this.clientFor(server, redirectUri, body);
      const { client_id, client_secret, token_auth_method } = client;
      await this.credentials.setClient(caller, id, { client_id, ...(client_secret ? { client_secret } : {}) });
      if (token_auth_method !== config.token_auth_method) {
        await this.credentials.configure(caller, id, { ...config, token_auth_method });
      }
      const { slug, policy } = body;
      return await this.registration.register(caller, {
        url: url.href,
        name,
        ...(slug ? { slug } : {}),
        ...(policy ? { policy } : {}),
        auth: { mode: 'oauth', credential_id: id },
      });
    } catch (error) {
      await this.credentials.remove(caller, id);
      throw error;
    }
  }

  private async clientFor(
    server: ProtectedServer,
    redirectUri: string,
    { client_id, client_secret }: RegisterByOauth,
  ): Promise<RegisteredClient> {
    if (!client_id) return this.discovery.register(server, redirectUri);
    const token_auth_method = client_secret ? methodFor(server.metadata) : 'none';
    return { client_id, ...(client_secret ? { client_secret } : {}), token_auth_method };
  }
}

/** The `oauth_config` of the vault. */
function configOf({ issuer, metadata, resource, scopes }: ProtectedServer, token_auth_method: string) {
  return {
    issuer,
    authorization_url: metadata.authorization_endpoint,
    token_url: metadata.token_endpoint,
    scopes,
    pkce: true,
    token_auth_method,
    extra_authorize_params: { resource },
  };
}
