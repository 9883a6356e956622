import type { ProjectScope } from '#libs/contracts';
import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { VAULT } from '../services.js';

export interface RegisteredClient {
  client_id: string;
  client_secret?: string;
  token_auth_method: string;
}

/** A credential that the vault keeps for one server, and what is announced to its provider. */
export interface ManagedCredential {
  id: string;
  redirect_uri: string;
  /**
   * A client id for providers that read client id metadata documents. Null where no provider could reach the document.
   */
  client_metadata_url: string | null;
}

/**
 * Keeps the result of a client registration in the vault, which then runs the connect flow. Only this server may use
 * it.
 */
@Injectable()
export class VaultCredentials {
  private readonly logger = new Logger('oauth');

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** Creates an oauth2 credential for this provider, bound to the server and still without a client. */
  prepare(
    caller: Principal,
    serverId: string,
    name: string,
    config: Record<string, unknown>,
  ): Promise<ManagedCredential> {
    return this.vault.post<ManagedCredential>(pathOf(serverId), caller, {
      name: `${name.slice(0, 150)} (MCP, ${randomBytes(4).toString('hex')})`,
      config,
      requested_by: caller.subject,
    });
  }

  async setClient(
    caller: Principal,
    serverId: string,
    id: string,
    { token_auth_method, ...client }: RegisteredClient,
    config: Record<string, unknown>,
  ): Promise<void> {
    await this.vault.put(`${pathOf(serverId)}/${id}`, caller, {
      ...client,
      config: { ...config, token_auth_method },
      requested_by: caller.subject,
    });
  }

  /**
   * Deletes a credential that was made for the server. One that a person made, or that something else uses, stays.
   * @throws Problem 5xx when the vault does not answer; the tokens are then not revoked
   */
  async remove(scope: ProjectScope, serverId: string, id: string): Promise<void> {
    try {
      await this.vault.delete(`${pathOf(serverId)}/${encodeURIComponent(id)}`, scope);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      if (error.code === 'credential_not_found') return;
      this.logger.warn({ event: 'oauth.credential_left', credential_id: id, code: error.code });
    }
  }

  /**
   * Cleans up after a failed registration. An error here is only logged, since the caller is shown why the registration
   * failed.
   */
  async discard(scope: ProjectScope, serverId: string, id: string): Promise<void> {
    try {
      await this.remove(scope, serverId, id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'oauth.credential_left', credential_id: id, code: error.code });
    }
  }
}

const pathOf = (serverId: string): string => `/internal/mcp-servers/${encodeURIComponent(serverId)}/credentials`;
