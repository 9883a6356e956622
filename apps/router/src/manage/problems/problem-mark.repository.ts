import { Database } from '#libs/database';
import type { QuietCause } from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';

/** Which letters are one problem. */
export interface Cause {
  app_id: string;
  stage: string;
  reason: string | null;
}

/** What a person said of a problem. */
export interface ProblemMark extends Cause {
  id: string;
  mark: 'muted' | 'resolved';
  /** Of a muted one; null: until somebody ends it. */
  muted_until: Date | null;
  made_at: Date;
  made_by: string;
}

@Injectable()
export class ProblemMarkRepository {
  constructor(private readonly db: Database) {}

  async all(projectId: string): Promise<ProblemMark[]> {
    return (await this.db.query(
      `SELECT id, app_id, stage, reason, mark, muted_until, made_at, made_by FROM router.problem_mark
        WHERE project_id = $1`,
      [projectId],
    )) as ProblemMark[];
  }

  /** The causes of which nobody wants to hear now, and up to when their letters are known. */
  async quiet(projectId: string): Promise<QuietCause[]> {
    return (await this.db.query(
      `SELECT app_id, stage, reason, CASE mark WHEN 'muted' THEN now() ELSE made_at END AS until FROM router.problem_mark
        WHERE project_id = $1 AND (mark = 'resolved' OR muted_until IS NULL OR muted_until > now())`,
      [projectId],
    )) as QuietCause[];
  }

  /** @param forHours of a muted one; null: until somebody ends it */
  async set(
    by: Principal,
    id: string,
    { app_id, stage, reason }: Cause,
    mark: ProblemMark['mark'],
    forHours: number | null,
  ): Promise<void> {
    await this.db.query(
      `INSERT INTO router.problem_mark (project_id, id, app_id, stage, reason, mark, muted_until, made_at, made_by)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7), now(), $8)
       ON CONFLICT (project_id, id) DO UPDATE SET mark = excluded.mark, muted_until = excluded.muted_until,
         made_at = excluded.made_at, made_by = excluded.made_by`,
      [by.projectId, id, app_id, stage, reason, mark, forHours, by.subject],
    );
  }

  async clear(projectId: string, id: string): Promise<void> {
    await this.db.query('DELETE FROM router.problem_mark WHERE project_id = $1 AND id = $2', [projectId, id]);
  }
}
