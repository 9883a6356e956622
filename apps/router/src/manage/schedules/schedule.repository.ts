import type { ProjectScope } from '#libs/contracts';
import { Database, type Queryable } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { ScheduleRow } from './schedule.entity.js';

/** Ticks of a schedule that were missed lately. */
export interface MissedTicks {
  schedule_id: string;
  name: string;
  missed: number;
  since: Date;
  last: Date;
}

@Injectable()
export class ScheduleRepository {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  all({ organizationId, projectId }: ProjectScope): Promise<ScheduleRow[]> {
    const where = { organization_id: organizationId, project_id: projectId };
    return this.db.manager.find(ScheduleRow, { where, order: { id: 'ASC' } });
  }

  find({ organizationId, projectId }: ProjectScope, id: string): Promise<ScheduleRow | null> {
    return this.db.manager.findOneBy(ScheduleRow, { organization_id: organizationId, project_id: projectId, id });
  }

  byId(id: string): Promise<ScheduleRow | null> {
    return this.db.manager.findOneBy(ScheduleRow, { id });
  }

  /** @throws Problem 409 `too_many_schedules` */
  async insert(row: ScheduleRow): Promise<void> {
    const most = this.settings.SCHEDULES_PER_PROJECT;
    await this.db.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('router.schedule ' || $1, 0))", [row.project_id]);
      if ((await tx.countBy(ScheduleRow, { project_id: row.project_id })) >= most) {
        const detail = `The project has ${most} schedules, which is the limit (SCHEDULES_PER_PROJECT): delete one.`;
        throw new Problem(409, 'too_many_schedules', detail);
      }
      await tx.insert(ScheduleRow, row);
    });
  }

  /**
   * Changes a schedule while nobody plans its ticks.
   * @param change of the row as it is; what else it writes is written with it
   * @returns null: there is none
   */
  change(
    { organizationId, projectId }: ProjectScope,
    id: string,
    change: (tx: Queryable, row: ScheduleRow) => Promise<Partial<ScheduleRow> | 'remove'>,
  ): Promise<ScheduleRow | null> {
    return this.db.transaction(async (tx) => {
      const where = { organization_id: organizationId, project_id: projectId, id };
      const row = await tx.findOne(ScheduleRow, { where, lock: { mode: 'pessimistic_write' } });
      if (!row) return null;
      const changed = await change(tx, row);
      if (changed === 'remove') await tx.delete(ScheduleRow, { id });
      else await tx.update(ScheduleRow, { id }, changed);
      return changed === 'remove' ? row : { ...row, ...changed };
    });
  }

  /** Locks active schedules whose ticks are stored to before `by`, the most behind first, and has them planned. */
  async planNext(by: Date, limit: number, plan: (tx: Queryable, row: ScheduleRow) => Promise<void>): Promise<number> {
    const behind = 'FROM router.schedule WHERE active AND planned_until < $1';
    if (((await this.db.query(`SELECT ${behind} LIMIT 1`, [by])) as unknown[]).length === 0) return 0;
    return this.db.transaction(async (tx) => {
      const rows = (await tx.query(`SELECT * ${behind} ORDER BY planned_until LIMIT $2 FOR UPDATE SKIP LOCKED`, [
        by,
        limit,
      ])) as ScheduleRow[];
      for (const row of rows) await plan(tx, row);
      return rows.length;
    });
  }

  /** Of the project's schedules, the ticks that were missed after `since`. */
  async missed({ organizationId, projectId }: ProjectScope, since: Date, limit: number): Promise<MissedTicks[]> {
    return (await this.db.query(
      `SELECT s.id AS schedule_id, s.name, count(*)::integer AS missed, min(t.at) AS since, max(t.at) AS last
         FROM router.schedule_tick t JOIN router.schedule s ON s.id = t.schedule_id
        WHERE t.project_id = $2 AND t.state = 'missed' AND t.at > $3 AND s.organization_id = $1
        GROUP BY s.id, s.name ORDER BY max(t.at) DESC LIMIT $4`,
      [organizationId, projectId, since, limit],
    )) as MissedTicks[];
  }
}
