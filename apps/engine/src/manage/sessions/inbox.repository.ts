import { newId, type ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';

/** What people write to each other about a session. Agents and senders never see it. */
export interface SessionNote {
  id: string;
  text: string;
  made_by: string;
  at: Date;
}

/** An answer that is ready, for people who reply. */
export interface CannedAnswer {
  id: string;
  name: string;
  text: string;
  made_by: string;
  created_at: Date;
}

/** A project has room for these, so that a list is one page. */
export const mostCannedAnswers = 200;

/** What people share about sessions: who has read and has which, notes, and answers that are ready. */
@Injectable()
export class InboxRepository {
  constructor(private readonly db: Database) {}

  async seen(sessionId: string, subject: string): Promise<void> {
    await this.db.query(
      `INSERT INTO engine.session_seen (session_id, subject, seen_at) VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (session_id, subject) DO UPDATE SET seen_at = excluded.seen_at`,
      [sessionId, subject],
    );
  }

  async assign(sessionId: string, to: string | null): Promise<void> {
    await this.db.query('UPDATE engine.session SET assigned_to = $2 WHERE id = $1', [sessionId, to]);
  }

  async notes(sessionId: string): Promise<SessionNote[]> {
    return (await this.db.query(
      'SELECT id, text, made_by, at FROM engine.session_note WHERE session_id = $1 ORDER BY id',
      [sessionId],
    )) as SessionNote[];
  }

  async addNote(sessionId: string, text: string, by: string): Promise<void> {
    await this.db.query('INSERT INTO engine.session_note (id, session_id, made_by, text) VALUES ($1, $2, $3, $4)', [
      newId('nte'),
      sessionId,
      by,
      text,
    ]);
  }

  async cannedAnswers({ organizationId, projectId }: ProjectScope): Promise<CannedAnswer[]> {
    return (await this.db.query(
      `SELECT id, name, text, made_by, created_at FROM engine.canned_answer
        WHERE organization_id = $1 AND project_id = $2 ORDER BY name LIMIT ${mostCannedAnswers}`,
      [organizationId, projectId],
    )) as CannedAnswer[];
  }

  /** Saving under a known name replaces its text. @returns null where the project has no room for another one */
  async saveCannedAnswer(
    { organizationId, projectId }: ProjectScope,
    name: string,
    text: string,
    by: string,
  ): Promise<CannedAnswer | null> {
    const rows = (await this.db.query(
      `WITH saved AS (
         INSERT INTO engine.canned_answer (id, organization_id, project_id, name, text, made_by)
         SELECT $1, $2, $3, $4, $5, $6
          WHERE (SELECT count(*) FROM engine.canned_answer WHERE project_id = $3 AND name <> $4) < ${mostCannedAnswers}
         ON CONFLICT (project_id, name) DO UPDATE SET text = excluded.text, made_by = excluded.made_by
         RETURNING id, name, text, made_by, created_at)
       SELECT * FROM saved`,
      [newId('can'), organizationId, projectId, name, text, by],
    )) as CannedAnswer[];
    return rows[0] ?? null;
  }

  /** @returns false when the project has no such answer */
  async deleteCannedAnswer({ organizationId, projectId }: ProjectScope, id: string): Promise<boolean> {
    const rows = (await this.db.query(
      `WITH gone AS (
         DELETE FROM engine.canned_answer WHERE id = $1 AND organization_id = $2 AND project_id = $3 RETURNING id)
       SELECT id FROM gone`,
      [id, organizationId, projectId],
    )) as unknown[];
    return rows.length > 0;
  }
}
