import type { ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';

/** As many as a dry run tries. */
const recent = 100;

/** Counts the messages of an App that triggers cannot be asked about, among its last ones. */
@Injectable()
export class IncompleteMessages {
  constructor(private readonly db: Database) {}

  async of({ organizationId, projectId }: ProjectScope, appId: string): Promise<{ incomplete: number; seen: number }> {
    const [counts] = (await this.db.query(
      `SELECT count(*) FILTER (WHERE jsonb_array_length(coalesce(missing, '[]')) > 0)::int AS incomplete, count(*)::int AS seen
         FROM (SELECT message -> 'missing' AS missing FROM router.message
                WHERE app_id = $1 AND organization_id = $2 AND project_id = $3 ORDER BY id DESC LIMIT $4) AS recent`,
      [appId, organizationId, projectId, recent],
    )) as [{ incomplete: number; seen: number }];
    return counts;
  }
}
