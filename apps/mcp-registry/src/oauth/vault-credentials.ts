import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

/** A client of the vault that may manage credentials as well. */
export const VAULT_CREDENTIALS = Symbol('vaultCredentials');

type Scope = Pick<Principal, 'organizationId' | 'projectId'>;

/** Keeps what a registration gave in the vault, whose connect flow does the rest. */
@Injectable()
export class VaultCredentials {
  private readonly logger = new Logger('oauth');

  constructor(@Inject(VAULT_CREDENTIALS) private readonly vault: ServiceClient) {}

  /** An oauth2 credential for this provider, without a client yet. @returns its id and what to register as redirect URI */
  async prepare(
    scope: Scope,
    name: string,
    config: Record<string, unknown>,
  ): Promise<{ id: string; redirectUri: string }> {
    const { id } = await this.vault.post<{ id: string }>('/api/v1/credentials', scope, {
      name: `${name.slice(0, 150)} (MCP, ${randomBytes(4).toString('hex')})`,
      type: 'oauth2',
      grant: 'authorization_code',
      fields: { client_id: 'not-registered-yet' },
    });
    try {
      const { redirect_uri } = await this.configure(scope, id, config);
      return { id, redirectUri: redirect_uri };
    } catch (error) {
      await this.remove(scope, id);
      throw error;
    }
  }

  async setClient(scope: Scope, id: string, fields: Record<string, string>): Promise<void> {
    await this.vault.patch(`/api/v1/credentials/${id}`, scope, { fields });
  }

  configure(scope: Scope, id: string, config: Record<string, unknown>): Promise<{ redirect_uri: string }> {
    return this.vault.put(`/api/v1/credentials/${id}/oauth`, scope, { config });
  }

  /** After a failure, which is what the caller hears of. */
  async remove(scope: Scope, id: string): Promise<void> {
    try {
      await this.vault.delete(`/api/v1/credentials/${id}?force=true`, scope);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'oauth.credential_left', credential_id: id, code: error.code });
    }
  }
}
