import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { RegisteredClient } from '../oauth/oauth-discovery.js';
import { VAULT } from '../services.js';

type Scope = Pick<Principal, 'organizationId' | 'projectId'>;

/** A credential that the vault keeps for one server, and what a provider is told of it. */
export interface ManagedCredential {
  id: string;
  redirect_uri: string;
  /** A client id by itself, for providers that read client id metadata documents; null where none could read it. */
  client_metadata_url: string | null;
}

/** Keeps what a registration gave in the vault, whose connect flow does the rest: for this server, and for no other use. */
@Injectable()
export class VaultCredentials {
  private readonly logger = new Logger('oauth');

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** An oauth2 credential for this provider, bound to the server, without a client yet. */
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
   * Deletes a credential that was made for the server; one that a person made, or uses for something else, stays.
   * @throws Problem 5xx when the vault does not answer: its tokens then are not revoked
   */
  async remove(scope: Scope, serverId: string, id: string): Promise<void> {
    try {
      await this.vault.delete(`${pathOf(serverId)}/${encodeURIComponent(id)}`, scope);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      if (error.code === 'credential_not_found') return;
      this.logger.warn({ event: 'oauth.credential_left', credential_id: id, code: error.code });
    }
  }

  /** After a registration that failed for a reason of its own, which is what the caller hears of. */
  async discard(scope: Scope, serverId: string, id: string): Promise<void> {
    try {
      await this.remove(scope, serverId, id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'oauth.credential_left', credential_id: id, code: error.code });
    }
  }
}

const pathOf = (serverId: string): string => `/internal/mcp-servers/${encodeURIComponent(serverId)}/credentials`;
