import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { VAULT } from '../services.js';

type Scope = Pick<Principal, 'organizationId' | 'projectId'>;

export interface Consumer {
  kind: 'mcp_server' | 'skill';
  id: string;
}

/** Tells the vault which server and which Skill reads which credential: without a binding it answers neither. */
@Injectable()
export class CredentialBindings {
  private readonly logger = new Logger('bindings');

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** @throws Problem 404 `credential_not_found` and others of the vault */
  async bind(scope: Scope, credentialId: string, consumer: Consumer): Promise<void> {
    await this.vault.put('/internal/bindings', scope, { credential_id: credentialId, consumer });
  }

  /**
   * Lets go of everything bound for a consumer, or of one credential. It goes whether the vault answers or not: a binding
   * that nothing names any more gives nobody anything.
   */
  async unbind(scope: Scope, consumer: Consumer, credentialId?: string): Promise<void> {
    const one = credentialId === undefined ? '' : `?credential_id=${encodeURIComponent(credentialId)}`;
    try {
      await this.vault.delete(`/internal/bindings/${consumer.kind}/${encodeURIComponent(consumer.id)}${one}`, scope);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'binding.left', consumer: consumer.id, code: error.code });
    }
  }
}
