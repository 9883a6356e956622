import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SessionSummary } from '../../entities/compaction.entity.js';

/** Summaries of sessions, as people read and correct them. */
@Injectable()
export class SummaryRepository {
  constructor(private readonly db: DataSource) {}

  find(sessionId: string): Promise<SessionSummary | null> {
    return this.db.manager.findOneBy(SessionSummary, { session_id: sessionId });
  }

  /** @returns false when the session has no summary */
  async correct({ organizationId, projectId, subject }: Principal, sessionId: string, text: string): Promise<boolean> {
    const rows = (await this.db.query(
      `WITH changed AS (
         UPDATE engine.session_summary SET text = $4, corrected_by = $5, corrected_at = now(), revision = revision + 1
          WHERE session_id = $1 AND organization_id = $2 AND project_id = $3 RETURNING session_id)
       SELECT session_id FROM changed`,
      [sessionId, organizationId, projectId, text, subject],
    )) as unknown[];
    return rows.length > 0;
  }
}
