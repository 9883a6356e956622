import type { ProjectScope } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { VAULT } from '../services.js';

export interface Consumer {
  kind: 'mcp_server' | 'skill';
  id: string;
}

/** Tells the vault which server or Skill may read which credential. Without a binding the vault answers neither. */
@Injectable()
export class CredentialBindings {
  private readonly logger = new Logger('bindings');

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** @throws Problem 404 `credential_not_found` and others of the vault */
  async bind(scope: ProjectScope, credentialId: string, consumer: Consumer): Promise<void> {
    await this.vault.put('/internal/bindings', scope, { credential_id: credentialId, consumer });
  }

  /**
   * Removes all bindings of a consumer, or that of one credential. A vault that does not answer is ignored: a binding
   * whose consumer is gone gives nobody access.
   */
  async unbind(scope: ProjectScope, consumer: Consumer, credentialId?: string): Promise<void> {
    const one = credentialId === undefined ? '' : `?credential_id=${encodeURIComponent(credentialId)}`;
    try {
      await this.vault.delete(`/internal/bindings/${consumer.kind}/${encodeURIComponent(consumer.id)}${one}`, scope);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'binding.left', consumer: consumer.id, code: error.code });
    }
  }
}
