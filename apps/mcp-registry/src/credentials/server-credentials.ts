import { type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { McpServer } from '../servers/mcp-server.entity.js';
import { VAULT } from '../services.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';

const maxCached = 5_000;

/** The headers that authenticate to a server. Values are read from the vault, cached briefly, and never stored. */
@Injectable()
export class ServerCredentials {
  private readonly cache = new Map<string, { fields: Promise<Record<string, unknown>>; untilMs: number }>();

  constructor(
    @Inject(VAULT) private readonly vault: ServiceClient,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {}

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

  private fieldsOf(server: McpServer, credentialId: string): Promise<Record<string, unknown>> {
    const key = `${server.id} ${credentialId}`;
    const known = this.cache.get(key);
    if (known && known.untilMs > Date.now()) return known.fields;
    if (this.cache.size >= maxCached) this.cache.clear();
    const fields = this.vault
      .post<{ fields: Record<string, unknown> }>(
        '/internal/credentials/resolve',
        { organizationId: server.organization_id, projectId: server.project_id },
        { credential_id: credentialId, consumer: { kind: 'mcp_server', id: server.id } },
      )
      .then((resolved) => resolved.fields);
    this.cache.set(key, { fields, untilMs: Date.now() + this.settings.CREDENTIAL_CACHE_MS });
    fields.catch(() => this.cache.delete(key));
    return fields;
  }
}
