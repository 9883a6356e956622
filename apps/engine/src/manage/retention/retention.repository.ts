import { firstId } from '#libs/contracts';
import { oldestKeptDay } from '#libs/database';
import { ProjectLimits, type RetainedRows, Retention } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { activeStates } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';

const dayMs = 86_400_000;

/**
 * Deletes old rows of each table, at most `$2`, and returns their number. `$1` is the cut-off time. Locked rows are
 * left to the next sweep. `$3`, for turns: ids of older turns sort before it.
 */
const deletions = {
  // Ids contain the time, so the primary key finds old turns. Turns that still wait for a person are deleted too, like
  // their messages.
  turn: `
    WITH old AS (
      DELETE FROM engine.turn WHERE id = ANY(ARRAY(
        SELECT id FROM engine.turn
         WHERE id < $3 AND coalesce(ended_at, created_at) < $1 AND state NOT IN ${activeStates} /* of a project */
         LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
    steps AS (DELETE FROM engine.step s USING old WHERE s.turn_id = old.id),
    workflow_steps AS (DELETE FROM engine.workflow_step w USING old WHERE w.turn_id = old.id),
    files AS (DELETE FROM engine.turn_file f USING old WHERE f.turn_id = old.id),
    interims AS (DELETE FROM engine.turn_interim i USING old WHERE i.turn_id = old.id),
    previews AS (DELETE FROM engine.turn_preview p USING old WHERE p.turn_id = old.id),
    calls AS (DELETE FROM engine.tool_call c USING old WHERE c.turn_id = old.id),
    open_calls AS (DELETE FROM engine.open_call o USING old WHERE o.turn_id = old.id),
    approvals AS (DELETE FROM engine.approval a USING old WHERE a.turn_id = old.id RETURNING a.id),
    asks AS (DELETE FROM engine.approval_ask k USING approvals WHERE k.approval_id = approvals.id)
    SELECT count(*)::integer AS deleted FROM old`,
  // A session that a person has taken over is kept: its next message is not for an agent.
  session: `
    WITH old AS (
      DELETE FROM engine.session WHERE id = ANY(ARRAY(
        SELECT id FROM engine.session s WHERE updated_at < $1 AND status <> 'taken_over' /* of a project */
           AND NOT EXISTS (SELECT FROM engine.turn t WHERE t.session_id = s.id)
         LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
    marks AS (DELETE FROM engine.session_mark m USING old WHERE m.session_id = old.id),
    seen AS (DELETE FROM engine.session_seen v USING old WHERE v.session_id = old.id),
    notes AS (DELETE FROM engine.session_note n USING old WHERE n.session_id = old.id),
    summaries AS (DELETE FROM engine.session_summary u USING old WHERE u.session_id = old.id)
    SELECT count(*)::integer AS deleted FROM old`,
  trial: `
    WITH old AS (
      DELETE FROM engine.trial WHERE id = ANY(ARRAY(
        SELECT id FROM engine.trial s WHERE created_at < $1 /* of a project */
           AND NOT EXISTS (SELECT FROM engine.turn t WHERE t.session_id = s.id)
         LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
    summaries AS (DELETE FROM engine.session_summary u USING old WHERE u.session_id = old.id)
    SELECT count(*)::integer AS deleted FROM old`,
  comparison: `
    WITH old AS (
      DELETE FROM engine.comparison WHERE id = ANY(ARRAY(
        SELECT id FROM engine.comparison s WHERE created_at < $1 /* of a project */ LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
    cases AS (DELETE FROM engine.comparison_case c USING old WHERE c.comparison_id = old.id)
    SELECT count(*)::integer AS deleted FROM old`,
  // What has expired is shown to nobody, and kept no longer.
  contact_memory: `
    WITH old AS (
      DELETE FROM engine.contact_memory WHERE id = ANY(ARRAY(
        SELECT id FROM engine.contact_memory WHERE expires_at < greatest($1::timestamptz, now()) LIMIT $2 FOR UPDATE SKIP LOCKED))
      RETURNING 1)
    SELECT count(*)::integer AS deleted FROM old`,
  agent_task: `
    WITH old AS (
      DELETE FROM engine.agent_task WHERE id = ANY(ARRAY(
        SELECT id FROM engine.agent_task WHERE created_at < $1 /* of a project */ LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
    pushes AS (DELETE FROM engine.task_push p USING old WHERE p.task_id = old.id)
    SELECT count(*)::integer AS deleted FROM old`,
  transcript: byTime('transcript', 'created_at'),
  session_mark: byTime('session_mark', 'at'),
  request_key: byTime('request_key', 'created_at'),
} as const;
export type RetainedTable = keyof typeof deletions;

/** Tables whose rows belong to a project. Marks go with their sessions. */
const ofProject = {
  turn: 'AND project_id = $4',
  session: 'AND s.project_id = $3',
  trial: 'AND s.project_id = $3',
  comparison: 'AND s.project_id = $3',
  request_key: 'AND project_id = $3',
  agent_task: 'AND project_id = $3',
  transcript: 'AND project_id = $3',
} as const;

/** Usage sums are kept for good unless their project sets a retention. */
const usageTables = ['usage', 'model_usage'] as const;

@Injectable()
export class RetentionRepository implements RetainedRows<RetainedTable> {
  readonly tables = Object.keys(deletions) as RetainedTable[];

  constructor(private readonly db: DataSource) {}

  /** @returns the number of deleted rows, not counting rows that belong to them */
  async deleteOld(table: RetainedTable, keepDays: number, limit: number): Promise<number> {
    // A turn's row has an entry of its event's timeline, whose receipt goes by whole days.
    const before = table === 'turn' ? oldestKeptDay(keepDays) : new Date(Date.now() - keepDays * dayMs);
    const ids = table === 'turn' ? [firstId('trn', before)] : [];
    const [row] = (await this.db.query(deletions[table], [before, limit, ...ids])) as { deleted: number }[];
    return row?.deleted ?? 0;
  }

  /** Like `deleteOld`, for one project in all tables. @returns the highest number of rows deleted from one table */
  async deleteOldOf(projectId: string, keepDays: number, limit: number): Promise<number> {
    const before = new Date(Date.now() - keepDays * dayMs);
    const counts: number[] = [];
    for (const [table, filter] of Object.entries(ofProject) as [keyof typeof ofProject, string][]) {
      const sql = deletions[table].replace('/* of a project */', filter);
      const ids = table === 'turn' ? [firstId('trn', before)] : [];
      const [row] = (await this.db.query(sql, [before, limit, ...ids, projectId])) as { deleted: number }[];
      counts.push(row?.deleted ?? 0);
    }
    for (const table of usageTables) {
      const [, deleted] = (await this.db.query(
        `DELETE FROM engine.${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM engine.${table} WHERE project_id = $1 AND day < ($2::timestamptz AT TIME ZONE 'utc')::date
            LIMIT $3 FOR UPDATE SKIP LOCKED))`,
        [projectId, before, limit],
      )) as [unknown[], number];
      counts.push(deleted);
    }
    return Math.max(...counts);
  }
}

function byTime(table: string, column: string): string {
  return `
    WITH old AS (
      DELETE FROM engine.${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM engine.${table} WHERE ${column} < $1 /* of a project */ LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
    SELECT count(*)::integer AS deleted FROM old`;
}

@Injectable()
export class EngineRetention extends Retention<RetainedTable> {
  constructor(rows: RetentionRepository, limits: ProjectLimits, @Inject(SETTINGS) settings: EngineSettings) {
    super(rows, limits, settings.RETENTION_DAYS);
  }
}
