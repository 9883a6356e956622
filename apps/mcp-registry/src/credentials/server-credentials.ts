import { OpenedCredentials } from '#libs/credentials';
import { ChangeListener } from '#libs/database';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { McpServer } from '../servers/mcp-server.entity.js';
import { VAULT } from '../services.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';

/** The headers that authenticate to a server. Values are read from the vault, cached until they change, and never stored. */
@Injectable()
export class ServerCredentials {
  private readonly opened: OpenedCredentials;

  constructor(
    @Inject(VAULT) vault: ServiceClient,
    changes: ChangeListener,
    @Inject(SETTINGS) { CREDENTIAL_CACHE_MS: ms }: RegistrySettings,
  ) {
    this.opened = new OpenedCredentials(vault, changes, { ms, outageMs: 0 });
  }

  /**
   * Returns no headers for any origin but the server's own, so that a redirect cannot leak the credential.
   * @throws Problem of the vault
   */
  async headersFor(server: McpServer, url: URL): Promise<Record<string, string>> {
    if (server.auth_mode === 'none' || !server.credential_id) return {};
    if (url.origin !== new URL(server.url).origin) return {};
    const fields = await this.fieldsOf(server, server.credential_id);
    if (server.auth_mode === 'header') {
      const [only] = Object.values(fields).filter((value) => typeof value === 'string');
      const value = fields['value'] ?? fields['token'] ?? only;
      return typeof value === 'string' ? { [server.auth_header ?? 'x-api-key']: value } : {};
    }
    const token = fields[server.auth_mode === 'oauth' ? 'access_token' : 'token'];
    return typeof token === 'string' ? { authorization: `Bearer ${token}` } : {};
  }

  private async fieldsOf(server: McpServer, credentialId: string): Promise<Record<string, unknown>> {
    const scope = { organizationId: server.organization_id, projectId: server.project_id };
    const asked = { credential_id: credentialId, consumer: { kind: 'mcp_server' as const, id: server.id } };
    return (await this.opened.get(scope, asked)).fields;
  }
}
