import type { TurnRunPayload } from '#libs/contracts';
import { isGone } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Turns whose process died, or whose job is lost. */
@Injectable()
export class AbandonedTurnRepository {
  constructor(private readonly db: DataSource) {}

  /** Voids the leases of processes that are dead: over for so long that the next sweep takes them, whatever it waits for. */
  async takeFromGone(): Promise<void> {
    await this.db.query(
      `UPDATE engine.turn SET state = 'queued', lease_owner = NULL, lease_until = now() - interval '1 day', retry_at = NULL
        WHERE id IN (SELECT id FROM engine.turn WHERE state = 'running' AND ${isGone('lease_owner')}
                      ORDER BY id FOR UPDATE SKIP LOCKED)`,
    );
  }

  /**
   * Turns that nobody works on: queued again, at most `limit`, as payloads without their input, which is stored.
   * @param leftMs how long the lease of a running one is over
   * @param waitedMs how long the job of a queued one is late
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
