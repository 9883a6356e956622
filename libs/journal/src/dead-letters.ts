import type { Order, ProjectScope, ScopeColumns } from '#libs/contracts';
import { keyset, type Queryable } from '#libs/database';
import { everyEntry } from './entries-in-rows.js';
import { doublingPauseSql, type DueRows, takeDueSql } from '#libs/work';

/**
 * `open`: waits for a person. `redriving`: sent again, until it ends again. `lost`: what it needs is no longer kept.
 */
export const deadLetterStates = ['open', 'redriving', 'redriven', 'lost'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];

/** A receipt, a turn or a delivery that could not be handled, after all its attempts or because none could help. */
export interface DeadLetter extends ScopeColumns {
  id: string;
  at: Date;
  app_id: string;
  receipt_id: string;
  stage: string;
  /** The turn or the delivery, if one was dead-lettered. */
  subject_id: string | null;
  reason: string | null;
  error: string | null;
  state: DeadLetterState;
  redriven_at: Date | null;
  redriven_by: string | null;
  /** How it ended after it was redriven. */
  outcome: string | null;
  drives: number;
  /** Why the last attempt to redrive it failed; null when it did not. */
  redrive_error: string | null;
  /** When it is checked next while it is `redriving`. */
  next_at: Date | null;
}

export interface DeadLetterQuery extends ProjectScope {
  appId: string | null;
  /** The event that it came of. */
  receiptId: string | null;
  stage: string | null;
  reason: string | null;
  state: DeadLetterState | null;
  from: Date | null;
  to: Date | null;
  cursor: string | null;
  order: Order;
  limit: number;
}

const columns = `id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason, error, state,
  redriven_at, redriven_by, outcome, drives, redrive_error, next_at`;

export async function listDeadLetters(db: Queryable, query: DeadLetterQuery): Promise<DeadLetter[]> {
  const { after, by } = keyset('id', '$9', query.order);
  return (await db.query(
    `SELECT ${columns} FROM journal.dead_letter
      WHERE organization_id = $1 AND project_id = $2 AND ($3::text IS NULL OR app_id = $3)
        AND ($4::text IS NULL OR stage = $4) AND ($5::text IS NULL OR reason = $5) AND ($6::text IS NULL OR state = $6)
        AND ($7::timestamptz IS NULL OR at >= $7) AND ($8::timestamptz IS NULL OR at < $8)
        AND ($11::text IS NULL OR receipt_id = $11) AND ${after}
      ORDER BY ${by} LIMIT $10`,
    [
      query.organizationId,
      query.projectId,
      query.appId,
      query.stage,
      query.reason,
      query.state,
      query.from,
      query.to,
      query.cursor,
      query.limit,
      query.receiptId,
    ],
  )) as DeadLetter[];
}

export async function findDeadLetter(
  db: Queryable,
  organizationId: string,
  projectId: string,
  id: string,
): Promise<DeadLetter | null> {
  const rows = (await db.query(
    `SELECT ${columns} FROM journal.dead_letter WHERE id = $1 AND organization_id = $2 AND project_id = $3`,
    [id, organizationId, projectId],
  )) as DeadLetter[];
  return rows[0] ?? null;
}

/** Open letters of one App that failed at the same stage; what killed its process is apart from the rest. */
export interface OpenLetters {
  app_id: string;
  stage: string;
  count: number;
  /** The reason that most of them have. */
  reason: string | null;
  since: Date;
}

/** Letters of one cause up to a time, of which nobody wants to hear. */
export interface QuietCause {
  app_id: string;
  stage: string;
  reason: string | null;
  until: Date;
}

/** What waits for a person among a project's letters, the most first. */
export async function openLetters(
  db: Queryable,
  { organizationId, projectId }: ProjectScope,
  limit: number,
  quiet: QuietCause[] = [],
): Promise<OpenLetters[]> {
  return (await db.query(
    `SELECT app_id, stage, count(*)::integer AS count, mode() WITHIN GROUP (ORDER BY reason) AS reason, min(at) AS since
       FROM journal.dead_letter l
      WHERE organization_id = $1 AND project_id = $2 AND state = 'open' AND NOT EXISTS (
              SELECT FROM jsonb_to_recordset($4::jsonb) AS q(app_id text, stage text, reason text, until timestamptz)
               WHERE q.app_id = l.app_id AND q.stage = l.stage AND q.reason IS NOT DISTINCT FROM l.reason AND l.at <= q.until)
      GROUP BY app_id, stage, reason = 'kills_its_process' ORDER BY count DESC, app_id, stage LIMIT $3`,
    [organizationId, projectId, limit, JSON.stringify(quiet)],
  )) as OpenLetters[];
}

/** Takes a dead letter for redriving. @returns false when it is not open: a letter is redriven once */
export async function openForRedrive(db: Queryable, letter: DeadLetter, by: string): Promise<boolean> {
  const rows = (await db.query(
    `WITH taken AS (
       UPDATE journal.dead_letter SET state = 'redriving', redriven_at = now(), redriven_by = $2, next_at = now()
        WHERE id = $1 AND state = 'open' RETURNING id)
     SELECT id FROM taken`,
    [letter.id, by],
  )) as unknown[];
  return rows.length > 0;
}

/** Marks the open letters of a receipt that was sent again by another way; their outcome is checked a little later. */
export async function noteRedriven(db: Queryable, scope: ProjectScope, receiptId: string, by: string): Promise<void> {
  await db.query(
    `UPDATE journal.dead_letter
        SET state = 'redriving', redriven_at = now(), redriven_by = $4, next_at = now() + interval '5 seconds'
      WHERE receipt_id = $1 AND organization_id = $2 AND project_id = $3 AND state = 'open' AND stage NOT IN ('delivery', 'turn')`,
    [receiptId, scope.organizationId, scope.projectId, by],
  );
}

/** Marks the open letters of a delivery that was attempted again by another way; their outcome is checked later. */
export async function noteDeliveryRedriven(
  db: Queryable,
  delivery: { id: string; receipt_id: string; organization_id: string; project_id: string },
  by: string,
): Promise<void> {
  await db.query(
    `UPDATE journal.dead_letter
        SET state = 'redriving', redriven_at = now(), redriven_by = $4, next_at = now() + interval '5 seconds'
      WHERE receipt_id = $5 AND stage = 'delivery' AND coalesce(subject_id, '') = $1 AND state = 'open'
        AND organization_id = $2 AND project_id = $3`,
    [delivery.id, delivery.organization_id, delivery.project_id, by, delivery.receipt_id],
  );
}

/** Closes the open letter of a turn whose run continues in another turn. */
export async function noteTurnRetried(
  db: Queryable,
  turn: { id: string; receipt_id: string; organization_id: string; project_id: string },
  by: string,
): Promise<void> {
  await db.query(
    `UPDATE journal.dead_letter SET state = 'redriven', redriven_at = now(), redriven_by = $4, outcome = 'retried'
      WHERE receipt_id = $5 AND stage = 'turn' AND subject_id = $1 AND state = 'open'
        AND organization_id = $2 AND project_id = $3`,
    [turn.id, turn.organization_id, turn.project_id, by, turn.receipt_id],
  );
}

/** How many letters a turn left before this one: each belongs to another redrive. */
export async function lettersBefore(db: Queryable, letter: DeadLetter): Promise<number> {
  const rows = (await db.query(
    `SELECT count(*)::integer AS letters FROM journal.dead_letter
      WHERE project_id = $1 AND receipt_id = $2 AND stage = $3 AND subject_id = $4 AND id < $5`,
    [letter.project_id, letter.receipt_id, letter.stage, letter.subject_id, letter.id],
  )) as { letters: number }[];
  return rows[0]?.letters ?? 0;
}

const redriving: DueRows = {
  table: 'journal.dead_letter',
  key: 'id',
  dueAt: 'next_at',
  also: 'drives = drives + 1',
  pause: doublingPauseSql('drives', 300),
  where: `state = 'redriving'`,
};

/** Letters whose redrive is due. Each is due again after a wait that doubles up to five minutes, until it ends. */
export async function takeDueRedrives(db: Queryable, limit: number): Promise<DeadLetter[]> {
  return (await db.query(`WITH taken AS (${takeDueSql(redriving, '$1')} RETURNING ${columns}) SELECT * FROM taken`, [
    limit,
  ])) as DeadLetter[];
}

/**
 * How a letter ended since it was redriven, or null. A delivery ends at its own stage, a receipt at any other. Allows
 * one second of difference between two machines' clocks.
 */
export async function endingOfRedrive(db: Queryable, letter: DeadLetter): Promise<string | null> {
  const rows = (await db.query(
    `SELECT outcome FROM ${everyEntry} e
      WHERE receipt_id = $1 AND at > $2 AND at > $3::timestamptz - interval '1 second'
        AND CASE WHEN $4 = 'delivery' THEN stage = 'delivery' AND subject_id = $5 AND outcome IN ('delivered', 'unknown', 'dead', 'expired')
                 ELSE terminal END
      ORDER BY extract(epoch FROM at) DESC LIMIT 1`,
    [letter.receipt_id, letter.at, letter.redriven_at, letter.stage, letter.subject_id],
  )) as { outcome: string }[];
  return rows[0]?.outcome ?? null;
}

/** Records why a redriven letter cannot be sent, until it can. */
export async function noteRedriveFailure(db: Queryable, id: string, error: string | null): Promise<void> {
  await db.query('UPDATE journal.dead_letter SET redrive_error = $2 WHERE id = $1', [id, error?.slice(0, 500) ?? null]);
}

export async function settleRedrive(
  db: Queryable,
  id: string,
  state: 'redriven' | 'lost',
  outcome: string | null,
): Promise<void> {
  await db.query(
    `UPDATE journal.dead_letter SET state = $2, outcome = $3, next_at = NULL, redrive_error = NULL WHERE id = $1 AND state = 'redriving'`,
    [id, state, outcome],
  );
}
