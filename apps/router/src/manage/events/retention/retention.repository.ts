import { oldestKeptDay } from '#libs/database';
import { ProjectLimits, type RetainedRows, Retention } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type RouterSettings, SETTINGS } from '../../../env.js';

const dayMs = 86_400_000;

/**
 * The old rows of each table: `$1` is the time, `$2` that time as the digits with which an id of that time begins. Ids
 * contain the time, so the primary key finds old rows.
 */
const old = {
  claim: 'claimed_at < $1 AND $2::text IS NOT NULL',
  message: `id < 'msg_' || $2 AND created_at < $1`,
  contact_day: 'day < $1::date AND $2::text IS NOT NULL',
  request_key: 'created_at < $1 AND $2::text IS NOT NULL',
  event_wait: 'ended_at < $1 AND $2::text IS NOT NULL',
  schedule_tick: 'ended_at < $1 AND $2::text IS NOT NULL',
  pairing_code: 'expires_at < $1 AND $2::text IS NOT NULL',
} as const;
export type RetainedTable = keyof typeof old;

@Injectable()
export class RetentionRepository implements RetainedRows<RetainedTable> {
  readonly tables = Object.keys(old) as RetainedTable[];

  constructor(private readonly db: DataSource) {}

  /** @returns how many rows were deleted */
  async deleteOld(table: RetainedTable, keepDays: number, limit: number): Promise<number> {
    // A message's row has an entry of its event's timeline, whose receipt goes by whole days.
    const before = table === 'message' ? oldestKeptDay(keepDays) : new Date(Date.now() - keepDays * dayMs);
    const digits = before.getTime().toString(16).padStart(12, '0');
    const result: unknown = await this.db.query(
      `DELETE FROM router.${table} WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM router.${table} WHERE ${old[table]} LIMIT $3 FOR UPDATE SKIP LOCKED))`,
      [before, digits, limit],
    );
    return (result as [unknown[], number])[1];
  }

  /** Messages of one project, without their claims: a provider may send again for days. @returns how many */
  async deleteOldOf(projectId: string, keepDays: number, limit: number): Promise<number> {
    const before = new Date(Date.now() - keepDays * dayMs);
    const result: unknown = await this.db.query(
      `DELETE FROM router.message WHERE id IN (
         SELECT id FROM router.message WHERE project_id = $1 AND id < $2 AND created_at < $3 LIMIT $4 FOR UPDATE SKIP LOCKED)`,
      [projectId, `msg_${before.getTime().toString(16).padStart(12, '0')}`, before, limit],
    );
    return (result as [unknown[], number])[1];
  }
}

@Injectable()
export class RouterRetention extends Retention<RetainedTable> {
  constructor(rows: RetentionRepository, limits: ProjectLimits, @Inject(SETTINGS) settings: RouterSettings) {
    super(rows, limits, settings.RETENTION_DAYS);
  }
}
