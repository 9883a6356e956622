import { failureSql } from '#libs/service-kit';
import { notHeldSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { WebhookRenewalRow } from './webhook-renewal.entity.js';

export type RenewalOutcome = Pick<WebhookRenewalRow, 'error' | 'error_detail'> & {
  /** Absent when nothing was renewed: the known dates stay. */
  renewed?: { expiresAt: Date | null };
  nextInMs: number;
};

const shown = failureSql('renewal_failure', {
  code: '$2',
  error: '$3',
  nextTryAt: '$4::timestamptz',
  whatToDo: '$5',
});

/** What to do where a retry is not enough. */
const remedies: Record<string, string> = {
  auth_failed: 'Verify the App, and renew or replace its credentials. Otherwise its provider stops sending events.',
  permission_denied: "Add what the error names to the App's credentials. Otherwise its provider stops sending events.",
  not_configured: 'Set what the error names. Until then Gatehouse does not renew the webhook: somebody else must.',
};

@Injectable()
export class WebhookRenewalRepository {
  constructor(@InjectRepository(WebhookRenewalRow) private readonly rows: Repository<WebhookRenewalRow>) {}

  /** Claims active, receiving Apps whose manifest asks for renewals and that are due; none twice within the lease. */
  async claim(limit: number, leaseMs: number): Promise<string[]> {
    const rows = (await this.rows.query(
      `INSERT INTO gateway.webhook_renewal AS r (app_id, organization_id, project_id, due_at)
       SELECT app.id, app.organization_id, app.project_id, now() + make_interval(secs => $2)
         FROM gateway.app JOIN gateway.adapter ON adapter.id = app.adapter_id
         LEFT JOIN gateway.webhook_renewal known ON known.app_id = app.id
        WHERE app.state = 'active' AND app.capabilities ? 'receive'
          AND adapter.manifest->'capabilities' ? 'receive' AND NOT adapter.disabled
          AND adapter.manifest #> '{webhook,renew_seconds}' IS NOT NULL
          AND (known.app_id IS NULL OR known.due_at <= now()) AND ${notHeldSql('app.project_id')}
        ORDER BY app.id LIMIT $1
       ON CONFLICT (app_id) DO UPDATE SET due_at = EXCLUDED.due_at WHERE r.due_at <= now()
       RETURNING app_id`,
      [limit, leaseMs / 1_000],
    )) as { app_id: string }[];
    return rows.map(({ app_id: id }) => id);
  }

  async record(appId: string, { renewed, error, error_detail: detail, nextInMs }: RenewalOutcome): Promise<void> {
    const due = { due_at: new Date(Date.now() + nextInMs), error, error_detail: detail };
    const done = renewed ? { renewed_at: new Date(), expires_at: renewed.expiresAt } : {};
    await this.rows.update({ app_id: appId }, { ...due, ...done } as object);
    await this.rows.query(
      `UPDATE gateway.app SET renewal_failure = CASE WHEN $2::text IS NULL THEN NULL ELSE ${shown} END WHERE id = $1`,
      [appId, error, detail ?? error, due.due_at, error === null ? null : (remedies[error] ?? null)],
    );
  }

  /** Makes the renewal due at the next sweep. @returns false when the App has none */
  async hasten(appId: string): Promise<boolean> {
    const { affected } = await this.rows.update({ app_id: appId }, { due_at: new Date() });
    return (affected ?? 0) > 0;
  }

  /** Makes renewals of these Apps due that wait for one of these reasons. */
  async release(appIds: string[], codes: string[]): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.webhook_renewal SET due_at = now() WHERE app_id IN (
         SELECT app_id FROM gateway.webhook_renewal
          WHERE app_id = ANY($1) AND error = ANY($2) AND due_at > now() ORDER BY app_id FOR UPDATE SKIP LOCKED)`,
      [appIds, codes],
    );
  }

  byApp(appId: string): Promise<WebhookRenewalRow | null> {
    return this.rows.findOneBy({ app_id: appId });
  }
}
