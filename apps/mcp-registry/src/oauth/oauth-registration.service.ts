import { newId } from '#libs/contracts';
import { type Egress } from '#libs/egress';
import { type Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { Registration } from '../servers/registration.service.js';
import { checkedUrl } from '../servers/server-auth.js';
import { EGRESS } from '../services.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { type ManagedCredential, VaultCredentials, type RegisteredClient } from '../credentials/vault-credentials.js';
import type { RegisterByOauth } from './oauth.dto.js';
import { methodFor, OauthDiscovery, type ProtectedServer } from './oauth-discovery.js';

/**
 * Registers a server that requires OAuth 2.1: finds its authorization server, registers as a client, and stores both in
 * the vault.
 */
@Injectable()
export class OauthRegistration {
  private readonly discovery: OauthDiscovery;

  constructor(
    @Inject(EGRESS) egress: Egress,
    @Inject(SETTINGS) settings: RegistrySettings,
    private readonly credentials: VaultCredentials,
    private readonly registration: Registration,
  ) {
    this.discovery = new OauthDiscovery(egress, settings.MCP_CONNECT_TIMEOUT_MS);
  }

  /** Leaves nothing behind when it fails. @throws Problem of the discovery, the vault and the registration */
  async register(caller: Principal, body: RegisterByOauth): Promise<McpServer> {
    const url = checkedUrl(body.url);
    const found = await this.discovery.find(url);
    const server = body.scopes ? { ...found, scopes: body.scopes } : found;
    const name = body.name ?? url.host;
    const config = configOf(server, body.client_secret || !body.client_id ? methodFor(server.metadata) : 'none');
    const serverId = newId('mcp');
    const credential = await this.credentials.prepare(caller, serverId, name, config);
    const { id } = credential;
    try {
      const client = await this.clientFor(server, credential, body);
      await this.credentials.setClient(caller, serverId, id, client, config);
      const { slug, policy, trust, sessions } = body;
      const asked = {
        url: url.href,
        name,
        ...(slug ? { slug } : {}),
        ...(policy ? { policy } : {}),
        ...(trust ? { trust } : {}),
        ...(sessions ? { sessions } : {}),
      };
      return await this.registration.register(
        caller,
        { ...asked, auth: { mode: 'oauth', credential_id: id } },
        serverId,
      );
    } catch (error) {
      await this.credentials.discard(caller, serverId, id);
      throw error;
    }
  }

  /**
   * Client set by hand, client metadata document, or dynamic registration: the order of the MCP authorization
   * specification.
   */
  private async clientFor(
    server: ProtectedServer,
    { redirect_uri, client_metadata_url }: ManagedCredential,
    { client_id, client_secret }: RegisterByOauth,
  ): Promise<RegisteredClient> {
    if (client_id) {
      const token_auth_method = client_secret ? methodFor(server.metadata) : 'none';
      return { client_id, ...(client_secret ? { client_secret } : {}), token_auth_method };
    }
    if (client_metadata_url && server.metadata.client_id_metadata_document_supported) {
      return { client_id: client_metadata_url, token_auth_method: 'none' };
    }
    return this.discovery.register(server, redirect_uri);
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
    resource,
  };
}
