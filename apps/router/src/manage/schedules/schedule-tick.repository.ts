import { newId } from '#libs/contracts';
import { Database, Liveness, type Queryable, storableJson } from '#libs/database';
import { endSql, type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import type { ScheduleRow, ScheduleTick, TickState } from './schedule.entity.js';

/** What a tick became. */
export interface Started {
  event_id: string;
  run_id: string | null;
  started_at: Date;
}

/** A settlement in the states of ticks. */
export type TickSettlement = Omit<Settlement, 'state'> & { state: TickState };

export const overlapCode = 'previous_run';

const isOpen = (t: string): string => `${t}.ended_at IS NULL`;

/** The ticks of schedules, as rows of work. Times are those of the router's clock, given as parameters. */
@Injectable()
export class ScheduleTickRepository {
  readonly work: Work<ScheduleTick>;

  constructor(
    private readonly db: Database,
    liveness: Liveness,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    this.work = new Work(db, {
      table: 'router.schedule_tick',
      leaseMs: settings.TURN_LEASE_MS,
      owner: () => liveness.owner,
      owners: () => liveness.owners,
    });
  }

  /** Stores ticks that are to come; those that there are already stay as they are. */
  async plan(tx: Queryable, schedule: ScheduleRow, times: number[], until: Date): Promise<void> {
    const ticks = times.map((at) => ({ id: newId('tck'), at: new Date(at) }));
    await tx.query(
      `WITH moved AS (UPDATE router.schedule SET planned_until = $5 WHERE id = $2)
       INSERT INTO router.schedule_tick (id, organization_id, project_id, schedule_id, at, due_at)
       SELECT id, $3, $4, $2, at, at FROM jsonb_to_recordset($1::jsonb) AS x(id text, at timestamptz)
       ON CONFLICT (schedule_id, at) DO NOTHING`,
      [storableJson(ticks), schedule.id, schedule.organization_id, schedule.project_id, until],
    );
  }

  /** Removes the ticks that are to come: the schedule has other times now, or is off. */
  async unplan(tx: Queryable, scheduleId: string, now: Date): Promise<void> {
    await tx.query(
      `DELETE FROM router.schedule_tick w WHERE schedule_id = $1 AND at > $2 AND claim = 0 AND ${isOpen('w')}`,
      [scheduleId, now],
    );
  }

  /** Ends the due ticks of a schedule that is off. One that is being started ends as its claim says. */
  async skipDue(tx: Queryable, scheduleId: string): Promise<void> {
    await tx.query(
      `UPDATE router.schedule_tick SET ${endSql('skipped')}, reason = 'schedule_off' WHERE schedule_id = $1 AND state = 'queued'`,
      [scheduleId],
    );
  }

  async remove(tx: Queryable, scheduleId: string): Promise<void> {
    await tx.query('DELETE FROM router.schedule_tick WHERE schedule_id = $1', [scheduleId]);
  }

  /** Whether any tick is due. */
  async isAnyDue(now: Date): Promise<boolean> {
    const sql = `SELECT FROM router.schedule_tick w WHERE ${this.work.isDueSql('w')} AND at <= $1 LIMIT 1`;
    return ((await this.db.query(sql, [now])) as unknown[]).length > 0;
  }

  /** Due ticks behind one that waits for an earlier run wait as well: they are not late for an outage. */
  async queueUp(now: Date): Promise<void> {
    const waiting = `SELECT t.id FROM router.schedule_tick t
       WHERE t.state = 'queued' AND t.claim = 0 AND t.reason IS NULL AND t.due_at <= now() AND t.at <= $1
         AND EXISTS (SELECT FROM router.schedule_tick e WHERE e.schedule_id = t.schedule_id AND e.at < t.at AND ${isOpen('e')}
                        AND e.reason = '${overlapCode}')`;
    const ahead = `(SELECT count(*) FROM router.schedule_tick e WHERE e.schedule_id = t.schedule_id AND e.at < t.at AND ${isOpen('e')})`;
    await this.db.query(
      `UPDATE router.schedule_tick SET ${endSql('skipped')}, reason = 'queue_full'
        WHERE id IN (${waiting} AND ${ahead} >= $2 ORDER BY t.id FOR UPDATE SKIP LOCKED)`,
      [now, this.settings.SCHEDULE_QUEUED],
    );
    await this.db.query(
      `UPDATE router.schedule_tick SET reason = '${overlapCode}', blocked_since = now()
        WHERE id IN (${waiting} ORDER BY t.id FOR UPDATE SKIP LOCKED)`,
      [now],
    );
  }

  /** Ends the ticks that are too late to be caught up with. @returns how many */
  async miss(now: Date): Promise<number> {
    const rows = (await this.db.query(
      `WITH missed AS (
         UPDATE router.schedule_tick SET ${endSql('missed')}, reason = 'too_late'
          WHERE id IN (SELECT w.id FROM router.schedule_tick w JOIN router.schedule s ON s.id = w.schedule_id
             WHERE w.state = 'queued' AND w.due_at <= now() AND s.planned_until > $1 AND ${this.isTooLate('w', 's', '$1', '$2')}
             ORDER BY w.id FOR UPDATE OF w SKIP LOCKED) RETURNING id)
       SELECT count(*)::integer AS missed FROM missed`,
      [now, this.settings.SCHEDULE_CATCH_UP],
    )) as { missed: number }[];
    return rows[0]?.missed ?? 0;
  }

  /** A tick that was ever begun, or that waits for an earlier run, is not missed any more. */
  private isTooLate(w: string, s: string, now: string, most: string): string {
    const newer = `(SELECT count(*) FROM (SELECT FROM router.schedule_tick n
       WHERE n.schedule_id = ${w}.schedule_id AND n.at > ${w}.at AND n.at <= ${now} LIMIT ${most}) AS newer)`;
    return `(${w}.claim = 0 AND ${w}.reason IS NULL AND ${w}.at < ${now}::timestamptz - ${s}.late_after_s * interval '1 second'
      AND (${s}.catch_up = 'none' OR ${newer} >= CASE ${s}.catch_up WHEN 'last' THEN 1 ELSE ${most} END))`;
  }

  /** Claims due ticks, of each schedule the first: the others go on when that has ended. */
  claimDue(limit: number, now: Date): Promise<ScheduleTick[]> {
    return this.work.claimDue(
      limit,
      `w.at <= $4 AND NOT EXISTS (SELECT FROM router.schedule_tick e WHERE e.schedule_id = w.schedule_id AND e.at < w.at AND ${isOpen('e')})
       AND EXISTS (SELECT FROM router.schedule s WHERE s.id = w.schedule_id
             AND (NOT s.active OR s.planned_until > $4 AND NOT ${this.isTooLate('w', 's', '$4', '$5')}))`,
      [now, this.settings.SCHEDULE_CATCH_UP],
    );
  }

  /** The event of the last tick before this one that started one; null: none, or it is no longer kept. */
  async eventBefore({ schedule_id, at }: ScheduleTick): Promise<{ id: string; at: Date; turns: string[] } | null> {
    const [row] = (await this.db.query(
      `SELECT t.event_id AS id, t.started_at AS at,
              ARRAY(SELECT turn ->> 'turn_id' FROM jsonb_array_elements(m.turns) AS turn) AS turns
         FROM (SELECT event_id, started_at FROM router.schedule_tick
                WHERE schedule_id = $1 AND at < $2 AND event_id IS NOT NULL ORDER BY at DESC LIMIT 1) t
         JOIN router.message m ON m.receipt_id = t.event_id`,
      [schedule_id, at],
    )) as { id: string; at: Date; turns: string[] }[];
    return row ?? null;
  }

  async settle(settlement: TickSettlement, started: Started | null): Promise<void> {
    const own = { event_id: 'text', run_id: 'text', started_at: 'timestamptz' };
    const row = { ...settlement, event_id: null, run_id: null, started_at: null, ...started };
    await this.db.query(this.work.settleSql('$1', own), [this.work.settled([row])]);
  }

  /** Those that were due by now, the last first. @param before only earlier ones; null: all */
  async list(scheduleId: string, now: Date, before: Date | null, limit: number): Promise<ScheduleTick[]> {
    return (await this.db.query(
      `SELECT * FROM router.schedule_tick WHERE schedule_id = $1 AND at <= $2 AND ($3::timestamptz IS NULL OR at < $3)
        ORDER BY at DESC LIMIT $4`,
      [scheduleId, now, before, limit],
    )) as ScheduleTick[];
  }
}
