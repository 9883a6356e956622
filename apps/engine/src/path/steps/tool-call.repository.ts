import type { ProjectScope, ScopeColumns } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ToolCallRecord } from '../../entities/turn.entity.js';

/** A Python tool's call that asks for HTTP. */
export interface CallingBack extends Pick<ToolCallRecord, 'grade' | 'callbacks' | 'hosts' | 'tokens'>, ScopeColumns {
  /** Its turn may change nothing. */
  rehearsal: boolean;
  /** The event that started its turn; null for a call that a person tries. */
  event_id: string | null;
}

/** A call of a Python tool in a turn, as the registry shows it. */
export interface PythonCall extends Pick<
  ToolCallRecord,
  'turn_id' | 'seq' | 'agent_id' | 'tool' | 'arguments_sha256' | 'outcome' | 'code' | 'duration_ms' | 'created_at'
> {}

/** The audit of calls; `StepRepository` writes it with the steps. */
@Injectable()
export class ToolCallRepository {
  constructor(private readonly db: DataSource) {}

  /** The calls of a turn, in order. */
  async ofTurn(turnId: string): Promise<ToolCallRecord[]> {
    return (await this.db.query('SELECT * FROM engine.tool_call WHERE turn_id = $1 ORDER BY seq', [
      turnId,
    ])) as ToolCallRecord[];
  }

  /** Newest first. @param before null: from the newest on */
  async ofPythonTool(
    { organizationId, projectId }: ProjectScope,
    toolId: string,
    before: { turnId: string; seq: number } | null,
    limit: number,
  ): Promise<PythonCall[]> {
    return (await this.db.query(
      `SELECT turn_id, seq, agent_id, tool, arguments_sha256, outcome, code, duration_ms, created_at
         FROM engine.tool_call
        WHERE tool_id = $1 AND source = 'python' AND organization_id = $2 AND project_id = $3
          AND ($4::text IS NULL OR (turn_id, seq) < ($4, $5::integer))
        ORDER BY turn_id DESC, seq DESC LIMIT $6`,
      [toolId, organizationId, projectId, before?.turnId ?? null, before?.seq ?? 0, limit],
    )) as PythonCall[];
  }

  /**
   * Counts a request of a Python tool, in a turn or tried by hand.
   * @returns its call with the count; null when no call in flight has that token
   */
  async countCallback(tokenSha256: string): Promise<CallingBack | null> {
    const rows = (await this.db.query(
      `WITH counted AS (
         UPDATE engine.tool_call c SET callbacks = callbacks + 1 FROM engine.turn t
          WHERE c.callback_sha256 = $1 AND c.outcome = 'begun' AND t.id = c.turn_id AND t.state = 'running'
         RETURNING c.grade, c.callbacks, c.hosts, c.tokens, coalesce((t.input ->> 'rehearsal')::boolean, false) AS rehearsal,
                   t.organization_id, t.project_id, t.receipt_id AS event_id)
       , tried AS (
         UPDATE engine.python_try SET callbacks = callbacks + 1 WHERE callback_sha256 = $1 AND expires_at > now()
         RETURNING grade, callbacks, NULL::text[], tokens, false, organization_id, project_id, NULL::text)
       SELECT * FROM counted UNION ALL SELECT * FROM tried`,
      [tokenSha256],
    )) as CallingBack[];
    return rows[0] ?? null;
  }
}
