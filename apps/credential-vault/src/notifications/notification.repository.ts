import type { ProjectScope } from '#libs/contracts';
import { failureSql } from '#libs/service-kit';
import { type Settlement, Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { NotificationTarget } from './notification-target.entity.js';
import { Notification } from './notification.entity.js';

/** Longer than a try takes. */
const leaseMs = 30_000;

@Injectable()
export class NotificationRepository {
  private readonly work: Work<Notification>;

  constructor(private readonly db: DataSource) {
    this.work = new Work(db, { table: 'vault.notification', leaseMs, owner: () => null });
  }

  target({ organizationId, projectId }: ProjectScope): Promise<NotificationTarget | null> {
    return this.db
      .getRepository(NotificationTarget)
      .findOneBy({ organization_id: organizationId, project_id: projectId });
  }

  /** Notifications that were given up are retried, since the receiver is new or repaired. */
  async putTarget(row: Omit<NotificationTarget, 'created_at'>): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.upsert(NotificationTarget, row, ['project_id']);
      await manager.query(
        `UPDATE vault.notification SET ${this.work.reopenSql()} WHERE project_id = $1 AND state = 'dead'`,
        [row.project_id],
      );
    });
  }

  /** How many are pending, and how many were given up. */
  async counts(projectId: string): Promise<{ waiting: number; given_up: number }> {
    const [counts] = await this.db.query<[{ waiting: number; given_up: number }]>(
      `SELECT count(*) FILTER (WHERE state <> 'dead')::int AS waiting, count(*) FILTER (WHERE state = 'dead')::int AS given_up
         FROM vault.notification WHERE project_id = $1`,
      [projectId],
    );
    return counts;
  }

  /** Deletes the target with all its pending notifications. */
  async deleteTarget({ organizationId, projectId }: ProjectScope): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.delete(NotificationTarget, { organization_id: organizationId, project_id: projectId });
      await manager.query(
        `UPDATE vault.credential SET notification_failure = NULL
          WHERE organization_id = $1 AND project_id = $2 AND notification_failure IS NOT NULL`,
        [organizationId, projectId],
      );
    });
  }

  /** Claims due notifications, each with its target. */
  async claim(limit: number): Promise<Notification[]> {
    const claimed = await this.work.claimDue(limit);
    const targets = await this.db
      .getRepository(NotificationTarget)
      .findBy({ project_id: In(claimed.map((row) => row.project_id)) });
    const byProject = new Map(targets.map((target) => [target.project_id, target]));
    // With its target, a notification is deleted too.
    return claimed.flatMap((row) => {
      const target = byProject.get(row.project_id);
      return target ? [{ ...row, target }] : [];
    });
  }

  /**
   * The notification was delivered. The credential shows no failure any more, unless another of its notifications has
   * failed.
   */
  async delivered({ id, claim, credential_id: credentialId }: Notification): Promise<void> {
    await this.db.getRepository(Notification).delete({ id, claim });
    await this.db.query(
      `UPDATE vault.credential SET notification_failure = NULL
        WHERE id = $1 AND notification_failure IS NOT NULL
          AND NOT EXISTS (SELECT FROM vault.notification WHERE credential_id = $1 AND reason IS NOT NULL)`,
      [credentialId],
    );
  }

  /**
   * A try failed, and the credential shows it. A notification that was given up is kept until the project sets its
   * receiver again or removes it, and for at most `keptDays`.
   */
  async failed(settlement: Settlement, projectId: string, detail: string, keptDays: number): Promise<void> {
    await this.db.query(
      `WITH settled AS (${this.work.settleSql('$1')})
       UPDATE vault.credential c SET notification_failure = ${shown} FROM settled WHERE c.id = settled.credential_id`,
      [this.work.settled([settlement]), detail, lastTry],
    );
    if (settlement.state !== 'dead') return;
    await this.db.query(
      'DELETE FROM vault.notification WHERE project_id = $1 AND ended_at < now() - make_interval(days => $2)',
      [projectId, keptDays],
    );
  }
}

const lastTry =
  "Fix the receiver, then set the project's receiver again: notifications that were given up are sent then.";

const shown = failureSql('c.notification_failure', {
  code: 'settled.reason',
  error: `'A change of its state could not be sent to the receiver: ' || $2::text`,
  nextTryAt: "CASE settled.state WHEN 'queued' THEN settled.due_at END",
  whatToDo: "CASE settled.state WHEN 'dead' THEN $3 END",
});
