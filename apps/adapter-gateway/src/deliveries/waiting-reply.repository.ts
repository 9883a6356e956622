import { attentionAtMost } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Replies of one App that wait to be sent again, all for the same reason. */
export interface WaitingGroup {
  app_id: string;
  reason: string;
  count: number;
  since: Date;
  /** When the next of them is tried. */
  next_at: Date | null;
}

/** Reads what waits by an index that has only replies that have failed or waited before. */
@Injectable()
export class WaitingReplyRepository {
  constructor(private readonly db: DataSource) {}

  /** @param longerMs only those that have waited longer than this */
  async ofProject(
    { organizationId, projectId }: Pick<Principal, 'organizationId' | 'projectId'>,
    longerMs: number,
  ): Promise<WaitingGroup[]> {
    return (await this.db.query(
      `SELECT app_id, error AS reason, count(*)::integer AS count, min(coalesce(failing_since, open_since)) AS since,
              min(lease_until) AS next_at
         FROM gateway.delivery
        WHERE project_id = $1 AND organization_id = $2 AND state = 'queued' AND error IS NOT NULL
          AND coalesce(failing_since, open_since) < now() - make_interval(secs => $3)
        GROUP BY app_id, error ORDER BY app_id, error LIMIT $4`,
      [projectId, organizationId, longerMs / 1_000, attentionAtMost],
    )) as WaitingGroup[];
  }

  async byReason(): Promise<{ reason: string; count: number }[]> {
    return (await this.db.query(
      `SELECT error AS reason, count(*)::integer AS count FROM gateway.delivery
        WHERE state = 'queued' AND error IS NOT NULL GROUP BY error`,
    )) as { reason: string; count: number }[];
  }
}
