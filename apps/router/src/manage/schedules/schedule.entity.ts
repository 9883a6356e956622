import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** What a tick does while the run of an earlier one is open: `queue` waits for its end. */
export const overlaps = ['skip', 'queue', 'allow'] as const;
export type Overlap = (typeof overlaps)[number];

/** Which of the ticks that are later than `late_after_s` still run: none, the last one, or all up to a limit. */
export const catchUps = ['none', 'last', 'all'] as const;
export type CatchUp = (typeof catchUps)[number];

/** Starts a workflow, or sends a message to an agent, at the times of a cron expression. */
@Entity({ schema: 'router', name: 'schedule' })
@Index('schedule_by_project', ['project_id', 'id'])
@Index('schedule_to_plan', ['planned_until'], { where: '"active"' })
export class ScheduleRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'schedule_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) cron: string;
  /** By its IANA name. */
  @Column({ type: 'text' }) time_zone: string;
  /** Either the workflow or the agent is null. */
  @Column({ type: 'integer', nullable: true }) workflow_id: number | null;
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  @Column({ type: 'text' }) message: string;
  /** Seconds after its time from which a tick is late. */
  @Column({ type: 'integer' }) late_after_s: number;
  @Column({ type: 'text' }) overlap: Overlap;
  @Column({ type: 'text' }) catch_up: CatchUp;
  @Column({ type: 'boolean' }) active: boolean;
  /** Who made it or last changed it, `key:<id>` or `user:<id>`: its runs are theirs. */
  @Column({ type: 'text' }) set_by: string;
  /** Its ticks up to here are stored. */
  @Column({ type: 'timestamptz' }) planned_until: Date;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}

export const tickStates = ['queued', 'running', 'ran', 'late', 'missed', 'skipped'] as const;
export type TickState = (typeof tickStates)[number];

/**
 * One time of a schedule, stored before it comes. `ran` and `late`: its message was routed, in time or after. `missed`:
 * it was too late. `skipped`: it was not to run, for its `reason`.
 */
@Entity({ schema: 'router', name: 'schedule_tick' })
@Unique('schedule_tick_at', ['schedule_id', 'at'])
@Index('schedule_tick_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
@Index('schedule_tick_missed', ['project_id', 'at'], { where: `"state" = 'missed'` })
@Index('schedule_tick_old', ['ended_at'])
export class ScheduleTick extends WorkRow<TickState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'schedule_tick_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) schedule_id: string;
  /** Its time by the schedule; `due_at` is when it is tried next. */
  @Column({ type: 'timestamptz' }) at: Date;
  /** The event that it became; null: none. */
  @Column({ type: 'text', nullable: true }) event_id: string | null;
  @Column({ type: 'text', nullable: true }) run_id: string | null;
  @Column({ type: 'timestamptz', nullable: true }) started_at: Date | null;
}
