import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Claim } from '../entities/turn.entity.js';
import { SessionSummary, type ShownSummary } from './session-summary.entity.js';

/** SQL for the summary of a turn's session, as JSON. @param turn the turn's alias in the statement */
export const summaryOf = (turn: string): string =>
  `(SELECT to_jsonb(known) FROM engine.session_summary known WHERE known.session_id = ${turn}.session_id)`;

export type MadeSummary = Pick<SessionSummary, 'through_turn_id' | 'turns' | 'text' | 'content_trust' | 'model'>;

@Injectable()
export class SummaryRepository {
  constructor(private readonly db: DataSource) {}

  find(sessionId: string): Promise<SessionSummary | null> {
    return this.db.manager.findOneBy(SessionSummary, { session_id: sessionId });
  }

  /** @param before what it replaces @returns false when the lease was lost, or somebody changed the summary meanwhile */
  async store(claim: Claim, before: ShownSummary | null, made: MadeSummary): Promise<boolean> {
    const rows = (await this.db.query(
      `INSERT INTO engine.session_summary AS s (session_id, organization_id, project_id, through_turn_id, turns, text,
              content_trust, model)
       SELECT session_id, organization_id, project_id, $3, $4, $5, $6, $7 FROM engine.turn
        WHERE id = $1 AND claim = $2 AND state = 'running'
       ON CONFLICT (session_id) DO UPDATE SET through_turn_id = excluded.through_turn_id, turns = excluded.turns,
              text = excluded.text, content_trust = excluded.content_trust, model = excluded.model, made_at = now(),
              corrected_by = NULL, corrected_at = NULL, revision = s.revision + 1
        WHERE s.revision = $8
       RETURNING session_id`,
      [
        claim.turn_id,
        claim.claim,
        made.through_turn_id,
        made.turns,
        made.text,
        made.content_trust,
        made.model,
        before?.revision ?? 0,
      ],
    )) as unknown[];
    return rows.length > 0;
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
