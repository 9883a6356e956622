import type { TurnRunPayload } from '#libs/contracts';
import { isGone } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Turns whose process died or whose job was lost. */
@Injectable()
export class AbandonedTurnRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * Voids the leases of dead processes. They are set to a day ago, so the next sweep takes these turns whatever its
   * grace period.
   */
  async takeFromGone(): Promise<void> {
    await this.db.query(
      `UPDATE engine.turn SET state = 'queued', lease_owner = NULL, lease_until = now() - interval '1 day', retry_at = NULL
        WHERE id IN (SELECT id FROM engine.turn WHERE state = 'running' AND ${isGone('lease_owner')}
                      ORDER BY id FOR UPDATE SKIP LOCKED)`,
    );
  }

  /**
   * Queues turns again that nobody works on, at most `limit`. The payloads carry no input, since it is stored.
   * @param leftMs how long the lease of a running turn must be over
   * @param waitedMs how late the job of a queued turn must be
   */
  async take(limit: number, leftMs: number, waitedMs: number): Promise<TurnRunPayload[]> {
    return (await this.db.query(
      `WITH abandoned AS (
         SELECT id FROM engine.turn
          WHERE state IN ('queued', 'running')
            AND lease_until < now() - CASE state WHEN 'queued' THEN $3::float8 ELSE $2::float8 END * interval '1 millisecond'
          ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED),
       taken AS (
         UPDATE engine.turn t SET state = 'queued', lease_owner = NULL, lease_until = now(), retry_at = NULL FROM abandoned
          WHERE t.id = abandoned.id RETURNING t.*)
       SELECT id AS turn_id, organization_id, project_id, app_id, receipt_id, agent_id, attempt AS claims FROM taken`,
      [limit, leftMs, waitedMs],
    )) as TurnRunPayload[];
  }
}
