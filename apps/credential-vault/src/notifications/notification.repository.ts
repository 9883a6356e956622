import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CredentialScope } from '../credentials/credential-scope.js';
import { NotificationTarget } from './notification-target.entity.js';
import { Notification } from './notification.entity.js';

/** A notification whose try was claimed. */
export type ClaimedNotification = Pick<Notification, 'id' | 'body' | 'attempts'> &
  Pick<NotificationTarget, 'project_id' | 'organization_id' | 'url' | 'kid' | 'wrapped_dek' | 'secret'>;

/**
 * Puts a notification in line, in the transaction of what it tells; nothing where the project wants none. The lock keeps a
 * target that is being deleted from failing that transaction, which may be the one that saves new tokens.
 */
export async function notify(
  manager: EntityManager,
  { organizationId, projectId }: CredentialScope,
  notification: { id: string; body: string },
): Promise<void> {
  await manager.query(
    `INSERT INTO vault.notification (id, project_id, body)
     SELECT $1, project_id, $2 FROM vault.notification_target WHERE organization_id = $3 AND project_id = $4
       FOR KEY SHARE`,
    [notification.id, notification.body, organizationId, projectId],
  );
}

@Injectable()
export class NotificationRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  target({ organizationId, projectId }: CredentialScope): Promise<NotificationTarget | null> {
    return this.db
      .getRepository(NotificationTarget)
      .findOneBy({ organization_id: organizationId, project_id: projectId });
  }

  async putTarget(row: Omit<NotificationTarget, 'created_at'>): Promise<void> {
    await this.db.getRepository(NotificationTarget).upsert(row, ['project_id']);
  }

  /** With all that waits for it. */
  async deleteTarget({ organizationId, projectId }: CredentialScope): Promise<void> {
    await this.db.getRepository(NotificationTarget).delete({ organization_id: organizationId, project_id: projectId });
  }

  /** Claims one try of each that is due: the next one is put off by more and more, so that no two processes make the same. */
  async claim(limit: number): Promise<ClaimedNotification[]> {
    const [rows] = await this.db.query<[ClaimedNotification[], number]>(
      `UPDATE vault.notification n SET attempts = attempts + 1,
         next_try_at = now() + make_interval(secs => least(3600, 30 * 2 ^ least(attempts, 10)))
        FROM vault.notification_target t
        WHERE t.project_id = n.project_id AND n.id IN (
          SELECT id FROM vault.notification WHERE next_try_at <= now()
           ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING n.id, n.body, n.attempts, t.project_id, t.organization_id, t.url, t.kid, t.wrapped_dek, t.secret`,
      [limit],
    );
    return rows;
  }

  async delete(id: string): Promise<void> {
    await this.db.getRepository(Notification).delete({ id });
  }
}
