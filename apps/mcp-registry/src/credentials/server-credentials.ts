import { type OpenedCredential, scopeOf } from '#libs/contracts';
import { OpenedCredentials } from '#libs/credentials';
import { ChangeListener } from '#libs/database';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { VAULT } from '../services.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';

/** What authenticates a request. */
export interface RequestAuth {
  /** Added to the client's own. */
  headers: Record<string, string>;
  /** Replaces the access token in them that the server refused. @returns whether another request gets another one */
  replaceRefused: () => Promise<boolean>;
}

export const noAuth: RequestAuth = { headers: {}, replaceRefused: async () => false };

/** What authenticates to a server. Values are read from the vault, cached until they change, and never stored. */
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
   * Gives nothing to any origin but the server's own, so that a redirect cannot leak the credential.
   * @throws Problem of the vault
   */
  async authFor(server: McpServer, url: URL): Promise<RequestAuth> {
    if (server.auth_mode === 'none' || !server.credential_id) return noAuth;
    if (url.origin !== new URL(server.url).origin) return noAuth;
    const scope = scopeOf(server);
    const consumer = { kind: 'mcp_server' as const, id: server.id };
    const asked = { credential_id: server.credential_id, consumer };
    const record = await this.opened.get(scope, asked);
    return {
      headers: headersOf(server, record.fields),
      replaceRefused: () => this.opened.replaceRefused(scope, asked, record),
    };
  }
}

function headersOf(server: McpServer, fields: OpenedCredential['fields']): Record<string, string> {
  if (server.auth_mode === 'header') {
    const [only] = Object.values(fields).filter((value) => typeof value === 'string');
    const value = fields['value'] ?? fields['token'] ?? only;
    return typeof value === 'string' ? { [server.auth_header ?? 'x-api-key']: value } : {};
  }
  const token = fields[server.auth_mode === 'oauth' ? 'access_token' : 'token'];
  return typeof token === 'string' ? { authorization: `Bearer ${token}` } : {};
}
