import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { OauthGrant } from './grant.entity.js';
import { transition } from './grant-transition.repository.js';

@Injectable()
export class GrantRevocationRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * Removes a grant's tokens. This takes effect at once: a running refresh cannot put its tokens in place, since the
   * version has changed.
   * @param take disposes of the tokens before they are removed
   */
  async revoke<T>(
    { organizationId, projectId }: ProjectScope,
    credentialId: string,
    reason: string,
    take: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.db.transaction(async (manager) => {
      const taken = await take(manager);
      const before = await manager.findOne(OauthGrant, {
        where: { credential_id: credentialId, organization_id: organizationId, project_id: projectId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!before) return taken;
      await manager.query(
        `UPDATE vault.oauth_grant SET state = 'revoked', reason = $2, version = version + 1, kid = NULL, wrapped_dek = NULL,
           access_token = NULL, refresh_token = NULL, answer_fields = NULL, at_expires_at = NULL, refresh_due_at = 'infinity',
           attempt_id = NULL, attempt_heartbeat = NULL, consecutive_failures = 0, unanswered = 0
          WHERE credential_id = $1`,
        [credentialId, reason],
      );
      await transition(manager, before, 'revoked', reason);
      return taken;
    });
  }
}
