import type { AttentionItem, ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';

interface Unsent {
  app_id: string;
  count: number;
  since: Date;
  detail: string | null;
}

/** Alerts that the gateway refused. Of those that it took and could not deliver, it reports the dead letters itself. */
@Injectable()
export class UnsentAlerts {
  constructor(private readonly db: Database) {}

  /** Of the last day, an item for each App. */
  async items({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const rows = (await this.db.query(
      `SELECT receiver ->> 'app_id' AS app_id, count(*)::int AS count, min(ended_at) AS since,
              (array_agg(error_detail ORDER BY ended_at DESC))[1] AS detail
         FROM portal.alert
        WHERE organization_id = $1 AND project_id = $2 AND state = 'dead' AND delivery_id IS NULL
          AND reason <> 'rule_deleted' AND ended_at > now() - interval '1 day'
        GROUP BY 1 ORDER BY 1`,
      [organizationId, projectId],
    )) as Unsent[];
    return rows.map(itemOf);
  }
}

function itemOf({ app_id: id, count, since, detail }: Unsent): AttentionItem {
  return {
    code: 'alerts_failing',
    severity: 'error',
    text: `${count} ${count === 1 ? 'alert was' : 'alerts were'} not sent: ${detail ?? 'no detail'}`,
    what_to_do: 'Give the rule another receiver, or install the App again.',
    resource: { kind: 'app', id },
    count,
    since: since.toISOString(),
    scope: 'apps:read',
  };
}
