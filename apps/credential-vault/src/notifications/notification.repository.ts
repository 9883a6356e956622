import { failureSql } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CredentialScope } from '../credential-store/credential-scope.js';
import { NotificationTarget } from './notification-target.entity.js';
import { Notification } from './notification.entity.js';

/** A notification with a claimed try. */
export type ClaimedNotification = Pick<Notification, 'id' | 'credential_id' | 'body' | 'attempts'> &
  Pick<NotificationTarget, 'project_id' | 'organization_id' | 'url' | 'kid' | 'wrapped_dek' | 'secret'>;

/**
 * Stores a notification in the transaction of the change, if the project wants notifications. The lock keeps a
 * concurrent deletion of the target from failing that transaction, which may be the one that saves new tokens.
 */
export async function notify(
  manager: EntityManager,
  { organizationId, projectId }: CredentialScope,
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
export class NotificationRepository {
  constructor(private readonly db: DataSource) {}

  target({ organizationId, projectId }: CredentialScope): Promise<NotificationTarget | null> {
    return this.db
      .getRepository(NotificationTarget)
      .findOneBy({ organization_id: organizationId, project_id: projectId });
  }

  /** Notifications that were given up are retried, since the receiver is new or repaired. */
  async putTarget(row: Omit<NotificationTarget, 'created_at'>): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.upsert(NotificationTarget, row, ['project_id']);
      await manager.query(
        `UPDATE vault.notification SET given_up_at = NULL, attempts = 0, next_try_at = now()
          WHERE project_id = $1 AND given_up_at IS NOT NULL`,
        [row.project_id],
      );
    });
  }

  /** How many are pending, and how many were given up. */
  async counts(projectId: string): Promise<{ waiting: number; given_up: number }> {
    const [counts] = await this.db.query<[{ waiting: number; given_up: number }]>(
      `SELECT count(*) FILTER (WHERE given_up_at IS NULL)::int AS waiting, count(given_up_at)::int AS given_up
         FROM vault.notification WHERE project_id = $1`,
      [projectId],
    );
    return counts;
  }

  /** Deletes the target with all its pending notifications. */
  async deleteTarget({ organizationId, projectId }: CredentialScope): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.delete(NotificationTarget, { organization_id: organizationId, project_id: projectId });
      await manager.query(
        `UPDATE vault.credential SET notification_failure = NULL
          WHERE organization_id = $1 AND project_id = $2 AND notification_failure IS NOT NULL`,
        [organizationId, projectId],
      );
    });
  }

  /**
   * Claims one try of each due notification and reschedules the next with growing delays, so that two processes do not
   * make the same try.
   */
  async claim(limit: number): Promise<ClaimedNotification[]> {
    const [rows] = await this.db.query<[ClaimedNotification[], number]>(
      `UPDATE vault.notification n SET attempts = attempts + 1,
         next_try_at = now() + make_interval(secs => least(3600, 30 * 2 ^ least(attempts, 10)))
        FROM vault.notification_target t
        WHERE t.project_id = n.project_id AND n.id IN (
          SELECT id FROM vault.notification WHERE next_try_at <= now() AND given_up_at IS NULL
           ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING n.id, n.credential_id, n.body, n.attempts, t.project_id, t.organization_id, t.url, t.kid, t.wrapped_dek, t.secret`,
      [limit],
    );
    return rows;
  }

  /**
   * The notification was delivered. The credential shows no failure any more, unless another of its notifications has
   * failed.
   */
  async told({ id, credential_id: credentialId }: ClaimedNotification): Promise<void> {
    await this.db.getRepository(Notification).delete({ id });
    await this.db.query(
      `UPDATE vault.credential SET notification_failure = NULL
        WHERE id = $1 AND notification_failure IS NOT NULL
          AND NOT EXISTS (SELECT FROM vault.notification WHERE credential_id = $1 AND error IS NOT NULL)`,
      [credentialId],
    );
  }

  /**
   * A try failed, and the credential shows it. A notification that was given up is kept until the project sets its
   * receiver again or removes it, and for at most `keptDays`.
   */
  async failed(
    { id, credential_id: credentialId, project_id: projectId }: ClaimedNotification,
    { code, detail, last }: { code: string; detail: string; last: boolean },
    keptDays: number,
  ): Promise<void> {
    await this.db.query(
      `WITH failed AS (UPDATE vault.notification SET error = $2, given_up_at = CASE WHEN $3 THEN now() END
         WHERE id = $1 RETURNING next_try_at)
       UPDATE vault.credential c SET notification_failure = ${shown} FROM failed WHERE c.id = $5`,
      [id, detail, last, code, credentialId, lastTry],
    );
    if (!last) return;
    await this.db.query(
      `DELETE FROM vault.notification WHERE project_id = $1 AND given_up_at < now() - make_interval(days => $2)`,
      [projectId, keptDays],
    );
  }
}

const lastTry =
  "Fix the receiver, then set the project's receiver again: notifications that were given up are sent then.";

const shown = failureSql('c.notification_failure', {
  code: '$4',
  error: `'A change of its state could not be sent to the receiver: ' || $2::text`,
  nextTryAt: 'CASE WHEN NOT $3 THEN failed.next_try_at END',
  whatToDo: 'CASE WHEN $3 THEN $6 END',
});
