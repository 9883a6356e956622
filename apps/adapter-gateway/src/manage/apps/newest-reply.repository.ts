import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { NewestReplies } from './app-condition.js';

/** An App of which none is among a project's newest replies has no reply that says anything about now. */
const looksAt = 500;
const dayMs = 86_400_000;

/** How the newest replies of a project's Apps ended, as far as that is bad news. */
@Injectable()
export class NewestReplyRepository {
  constructor(private readonly db: Database) {}

  /** @param waitedMs only replies that have waited for longer count as waiting */
  async newest(projectId: string, waitedMs: number): Promise<NewestReplies[]> {
    return (await this.db.query(
      `WITH newest AS (
         SELECT id, app_id, state, reason, created_at, coalesce(blocked_since, open_since) AS since
           FROM gateway.delivery WHERE project_id = $1 ORDER BY id DESC LIMIT $2),
       since_good AS (
         SELECT n.*, n.state = 'dead' AND n.created_at > now() - make_interval(secs => $3) AS is_dead,
                n.state = 'queued' AND n.reason IS NOT NULL AND n.since < now() - make_interval(secs => $4) AS waits
           FROM newest n
          WHERE NOT EXISTS (SELECT FROM newest good
                             WHERE good.app_id = n.app_id AND good.state = 'delivered' AND good.id > n.id))
       SELECT app_id, (count(*) FILTER (WHERE is_dead))::integer AS dead,
              (array_agg(reason ORDER BY id DESC) FILTER (WHERE is_dead))[1] AS dead_reason,
              (count(*) FILTER (WHERE waits))::integer AS waiting,
              (array_agg(reason ORDER BY id DESC) FILTER (WHERE waits))[1] AS waiting_reason
         FROM since_good GROUP BY app_id`,
      [projectId, looksAt, dayMs / 1_000, waitedMs / 1_000],
    )) as NewestReplies[];
  }
}
