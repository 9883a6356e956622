import { firstId } from '#libs/contracts';
import { oldestKeptDay } from '#libs/database';
import { ProjectLimits, type RetainedRows, Retention } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type GatewaySettings, SETTINGS } from '../../env.js';

const dayMs = 86_400_000;

/** By the id that its provider gave a mail, an answer to it is recognised: it stays as long as the conversation of its web chat. */
const isMail = 'EXISTS (SELECT FROM gateway.web_chat_mail m WHERE m.delivery_id = d.id)';

/**
 * Deletes deliveries that ended before `$1`, at most `$2`, with what belongs to them, and returns their number. Ids contain
 * the time: those of older ones sort before `$3`. Locked rows are left to the next sweep.
 */
const deletion = (of: string): string => `
  WITH old AS (
    DELETE FROM gateway.delivery WHERE id = ANY(ARRAY(
      SELECT id FROM gateway.delivery d WHERE id < $3 AND ended_at < $1 AND NOT ${isMail} ${of}
       LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
  parts AS (DELETE FROM gateway.delivery_part p USING old WHERE p.delivery_id = old.id),
  files AS (DELETE FROM gateway.delivery_attachment a USING old WHERE a.delivery_id = old.id),
  choices AS (DELETE FROM gateway.offered_choice c USING old WHERE c.delivery_id = old.id)
  SELECT count(*)::integer AS deleted FROM old`;

@Injectable()
export class RetentionRepository implements RetainedRows<'delivery'> {
  readonly tables = ['delivery'] as const;

  constructor(private readonly db: DataSource) {}

  /** A delivery's row has an entry of its event's timeline, whose receipt goes by whole days. @returns how many were deleted */
  deleteOld(_table: 'delivery', keepDays: number, limit: number): Promise<number> {
    return this.delete(oldestKeptDay(keepDays), limit);
  }

  /** Those of one project. @returns how many were deleted */
  deleteOldOf(projectId: string, keepDays: number, limit: number): Promise<number> {
    return this.delete(new Date(Date.now() - keepDays * dayMs), limit, projectId);
  }

  private async delete(before: Date, limit: number, projectId?: string): Promise<number> {
    const [row] = (await this.db.query(deletion(projectId === undefined ? '' : 'AND project_id = $4'), [
      before,
      limit,
      firstId('dlv', before),
      ...(projectId === undefined ? [] : [projectId]),
    ])) as { deleted: number }[];
    return row?.deleted ?? 0;
  }
}

@Injectable()
export class GatewayRetention extends Retention<'delivery'> {
  constructor(rows: RetentionRepository, limits: ProjectLimits, @Inject(SETTINGS) settings: GatewaySettings) {
    super(rows, limits, settings.RETENTION_DAYS);
  }
}
