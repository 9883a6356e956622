import { type Queryable } from '#libs/database';
import type { Turn } from '../entities/turn.entity.js';

/**
 * Ends a turn as cancelled, whoever runs it, and withdraws its approvals. Its claim can store nothing more. The caller
 * has locked its session.
 * @returns the turn; null when it had already ended
 */
export async function cancelTurn(tx: Queryable, turnId: string): Promise<Turn | null> {
  const rows = (await tx.query(
    `WITH ended AS (
       UPDATE engine.turn SET state = 'failed', error = 'cancelled', finished_at = now(), lease_owner = NULL, lease_until = NULL,
              retry_at = NULL, waiting_since = NULL, held_for = NULL, reply = 'none'
        WHERE id = $1 AND state IN ('waiting', 'held', 'queued', 'running', 'waiting_approval') RETURNING *),
     withdrawn AS (UPDATE engine.approval a SET state = 'cancelled', decided_at = now() FROM ended
       WHERE a.turn_id = ended.id AND a.state = 'pending')
     SELECT * FROM ended`,
    [turnId],
  )) as Turn[];
  return rows[0] ?? null;
}
