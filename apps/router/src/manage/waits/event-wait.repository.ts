import type { AskedWait, AwaitedEvent, ProjectScope, TextFrom, TrustGrade } from '#libs/contracts';
import { Database, keyset, Liveness, storableJson } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { type MessageRow, type Packed, unpacked } from '../../entities/message.entity.js';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { type Arrived, heardSql } from '../../path/routing/event-waits.js';
import type { EventWaitRow } from './event-wait.entity.js';

/**
 * After this time every router compares what arrives with a new wait: each has heard of it, or has read the waits of the
 * project again, and no transaction that began before is open.
 */
const unknownMs = 15_000;

/** Null: all. */
export interface WaitFilter {
  open: boolean | null;
  runId: string | null;
  workflowId: number | null;
  cursor: string | null;
  limit: number;
}

type Kept = Pick<MessageRow, 'id' | 'receipt_id' | 'app_id' | 'message' | 'verified' | 'text_from'> & {
  trust: TrustGrade;
};

/** The rows of waits, as work: what is announced to the engine is claimed. */
@Injectable()
export class EventWaitRepository {
  readonly work: Work<EventWaitRow>;

  constructor(
    private readonly db: Database,
    liveness: Liveness,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    this.work = new Work(db, {
      table: 'router.event_wait',
      leaseMs: settings.TURN_LEASE_MS,
      owner: () => liveness.owner,
      owners: () => liveness.owners,
    });
  }

  async find({ organizationId, projectId }: ProjectScope, id: string): Promise<EventWaitRow | null> {
    const sql = 'SELECT * FROM router.event_wait WHERE id = $1 AND organization_id = $2 AND project_id = $3';
    return (await this.rows<EventWaitRow>(sql, [id, organizationId, projectId]))[0] ?? null;
  }

  /** Stores a wait, unless it is there. @throws Problem 409 `too_many_event_waits` */
  async insert({ organizationId, projectId }: ProjectScope, id: string, asked: AskedWait): Promise<void> {
    const { EVENT_WAITS_PER_PROJECT: most, EVENT_WAIT_BEFORE_MS: beforeMs } = this.settings;
    await this.db.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('router.event_wait ' || $1, 0))", [projectId]);
      const [open] = (await tx.query(
        `SELECT count(*)::integer AS waits, bool_or(id = $2) AS known FROM router.event_wait WHERE project_id = $1 AND state = 'waiting'`,
        [projectId, id],
      )) as { waits: number; known: boolean | null }[];
      if (open && open.waits >= most && !open.known) {
        const detail = `${most} runs of the project wait for an event, which is the limit (EVENT_WAITS_PER_PROJECT).`;
        throw new Problem(409, 'too_many_event_waits', detail);
      }
      await tx.query(
        `INSERT INTO router.event_wait (id, organization_id, project_id, turn_id, run_id, workflow_id, run_message_id, step, app_id,
                event_type, "where", given, consume, since, until, state)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13,
                 least(now(), greatest(coalesce($14::timestamptz, now()), now() - $16 * interval '1 millisecond')), $15, 'waiting')
         ON CONFLICT (id) DO NOTHING`,
        [
          id,
          organizationId,
          projectId,
          asked.turn_id,
          asked.run_id,
          asked.workflow_id,
          asked.message_id,
          asked.step,
          asked.app_id,
          asked.event_type,
          asked.where,
          storableJson(asked.given),
          asked.consume,
          asked.since,
          asked.until,
          beforeMs,
        ],
      );
    });
  }

  /** Open waits that were stored long enough ago for every router to know them, and have not looked back since. */
  notLookedBack(limit: number): Promise<EventWaitRow[]> {
    return this.rows(
      `SELECT * FROM router.event_wait WHERE state = 'waiting' AND NOT looked_back
          AND (created_at < now() - $2 * interval '1 millisecond' OR until <= now()) ORDER BY created_at LIMIT $1`,
      [limit, unknownMs],
    );
  }

  /** Whether it is still to look back: a list of those may be older than what another sweep, or process, has done. */
  async isToLookBack(id: string): Promise<boolean> {
    const sql = `SELECT FROM router.event_wait WHERE id = $1 AND state = 'waiting' AND NOT looked_back`;
    return (await this.rows(sql, [id])).length > 0;
  }

  async lookedBack(id: string): Promise<void> {
    await this.db.query('UPDATE router.event_wait SET looked_back = true WHERE id = $1', [id]);
  }

  /** Ends the waits whose time is over, once it is known that no event came in time. @returns how many */
  async timeOut(limit: number): Promise<number> {
    const [done] = await this.rows<{ waits: number }>(
      `WITH late AS (SELECT id FROM router.event_wait WHERE state = 'waiting' AND looked_back AND until <= now()
          ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED),
       ended AS (UPDATE router.event_wait w SET state = 'queued', outcome = 'timed_out', due_at = now(), decided_at = now()
         FROM late WHERE w.id = late.id RETURNING w.id)
       SELECT count(*)::integer AS waits FROM ended`,
      [limit],
    );
    return done?.waits ?? 0;
  }

  /** @returns whether it waited until now */
  async cancel({ organizationId, projectId }: ProjectScope, id: string): Promise<boolean> {
    const rows = await this.rows(
      `WITH ended AS (UPDATE router.event_wait SET state = 'queued', outcome = 'cancelled', due_at = now(), decided_at = now()
         WHERE id = $1 AND organization_id = $2 AND project_id = $3 AND state = 'waiting' RETURNING id)
       SELECT id FROM ended`,
      [id, organizationId, projectId],
    );
    return rows.length > 0;
  }

  /** Messages that a wait may be for, in pages: routed since it counts them, and before every router knew of it. */
  async arrivedSince(
    { project_id, app_id, event_type, since, until, created_at }: EventWaitRow,
    after: string,
    limit: number,
  ): Promise<Arrived[]> {
    const rows = await this.rows<Packed<Arrived>>(
      `SELECT m.id, m.receipt_id, m.app_id, m.message, m.verified, m.request, m.packed
         FROM router.claim c JOIN router.message m ON m.id = c.message_id
        WHERE c.claimed_at >= $2 AND c.claimed_at < least($3, $8::timestamptz + $9 * interval '1 millisecond')
          AND m.project_id = $1 AND m.id > $6 AND ${heardSql}
          AND ($4::text IS NULL OR m.app_id = $4) AND ($5::text IS NULL OR m.message ->> 'event_type' = $5)
        ORDER BY m.id LIMIT $7`,
      [project_id, since, until, app_id, event_type, after, limit, created_at, unknownMs],
    );
    return rows.map(unpacked<Arrived>);
  }

  /** What fulfilled a wait; null: nothing, or it is no longer kept. */
  async eventOf({ message_id: id, project_id }: EventWaitRow): Promise<AwaitedEvent | null> {
    if (id === null) return null;
    const [row] = await this.rows<Packed<Kept & { text_from: TextFrom }>>(
      `SELECT m.id, m.receipt_id, m.app_id, m.message, m.packed, m.verified, m.text_from,
              CASE WHEN m.app_kind = 'builtin' THEN 'builtin' WHEN i.status = 'known' THEN 'known' ELSE 'unknown' END AS trust
         FROM router.message m
         LEFT JOIN router.contact_identity i ON i.app_id = m.app_id AND i.sender = m.message ->> 'sender'
        WHERE m.id = $1 AND m.project_id = $2`,
      [id, project_id],
    );
    if (!row) return null;
    const { id: message_id, receipt_id, ...event } = unpacked(row);
    return { id: receipt_id, message_id, ...event };
  }

  /** The waits of a project, the last first. */
  list({ organizationId, projectId }: ProjectScope, filter: WaitFilter): Promise<EventWaitRow[]> {
    const { after, by } = keyset('id', '$6', 'desc');
    const { open, runId, workflowId, cursor, limit } = filter;
    return this.rows(
      `SELECT * FROM router.event_wait WHERE organization_id = $1 AND project_id = $2
          AND ($3::boolean IS NULL OR (state = 'waiting') = $3) AND ($4::text IS NULL OR run_id = $4)
          AND ($5::integer IS NULL OR workflow_id = $5) AND ${after} ORDER BY ${by} LIMIT $7`,
      [organizationId, projectId, open, runId, workflowId, cursor, limit],
    );
  }

  /** Those that an event has fulfilled, in the order in which their runs began to wait. */
  ofEvent({ organizationId, projectId }: ProjectScope, eventId: string): Promise<EventWaitRow[]> {
    const sql =
      'SELECT * FROM router.event_wait WHERE event_id = $1 AND organization_id = $2 AND project_id = $3 ORDER BY id LIMIT 100';
    return this.rows(sql, [eventId, organizationId, projectId]);
  }

  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return (await this.db.query(sql, parameters)) as T[];
  }
}
