import { newId, type ProjectScope, scopeOf } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GrantEvent, type GrantState, type OauthGrant } from './grant.entity.js';

/** Ends an attempt. */
export async function finish(manager: EntityManager, attemptId: string, errorClass: string): Promise<void> {
  await manager.query('UPDATE vault.refresh_attempt SET error_class = $2, finished_at = now() WHERE id = $1', [
    attemptId,
    errorClass,
  ]);
}

/**
 * Writes one event per transition, and one notification if the project wants them, in the transaction that makes it.
 * The credential shows the grant's state.
 */
export async function transition(
  manager: EntityManager,
  grant: OauthGrant,
  to: GrantState,
  reason: string | null,
): Promise<void> {
  if (grant.state === to && grant.reason === reason) return;
  await manager.query('UPDATE vault.credential SET status = $2, reason = $3 WHERE id = $1', [
    grant.credential_id,
    to,
    reason,
  ]);
  if (grant.state === to) return;
  const id = newId('gev');
  await manager.query(
    'INSERT INTO vault.grant_event (id, credential_id, from_state, to_state, reason) VALUES ($1, $2, $3, $4, $5)',
    [id, grant.credential_id, grant.state, to, reason],
  );
  const { credential_id, provider_slug: provider, state: from } = grant;
  const data = { credential_id, provider, from, to, reason };
  const body = JSON.stringify({ type: 'credential.state_changed', timestamp: new Date().toISOString(), data });
  const scope = scopeOf(grant);
  await notify(manager, scope, { id, credentialId: credential_id, body });
}

/**
 * Stores a notification in the transaction of the change, if the project wants notifications. The lock keeps a
 * concurrent deletion of the target from failing that transaction, which may be the one that saves new tokens.
 */
async function notify(
  manager: EntityManager,
  { organizationId, projectId }: ProjectScope,
  notification: { id: string; credentialId: string; body: string },
): Promise<void> {
  await manager.query(
    `INSERT INTO vault.notification (id, project_id, body, credential_id)
     SELECT $1, project_id, $2, $5 FROM vault.notification_target WHERE organization_id = $3 AND project_id = $4
       FOR KEY SHARE`,
    [notification.id, notification.body, organizationId, projectId, notification.credentialId],
  );
}

@Injectable()
export class GrantEventRepository {
  constructor(private readonly db: DataSource) {}

  /** Newest first. */
  latest(credentialId: string, limit: number): Promise<GrantEvent[]> {
    return this.db
      .getRepository(GrantEvent)
      .find({ where: { credential_id: credentialId }, order: { id: 'DESC' }, take: limit });
  }
}
