import type { WaitOutcome, WaitReads } from '#libs/contracts';
import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * `waiting`: for an event. `queued`, `running`: it is decided, and the engine is to be informed. `done`: it was.
 */
export type EventWaitState = 'waiting' | 'queued' | 'running' | 'done';

/**
 * A step of a run that waits for an event. The transaction that stores an event decides which waits it fulfils; the row
 * is work until the engine has heard of it.
 */
@Entity({ schema: 'router', name: 'event_wait' })
@Index('event_wait_by_project', ['project_id', 'id'])
@Index('event_wait_open', ['project_id'], { where: `"state" = 'waiting'` })
@Index('event_wait_until', ['until'], { where: `"state" = 'waiting'` })
@Index('event_wait_new', ['created_at'], { where: `"state" = 'waiting' AND NOT "looked_back"` })
@Index('event_wait_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
@Index('event_wait_by_turn', ['turn_id'])
@Index('event_wait_by_event', ['event_id'], { where: '"event_id" IS NOT NULL' })
@Index('event_wait_old', ['ended_at'])
export class EventWaitRow extends WorkRow<EventWaitState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'event_wait_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) turn_id: string;
  @Column({ type: 'text' }) run_id: string;
  @Column({ type: 'integer' }) workflow_id: number;
  /** The message that began the run. */
  @Column({ type: 'text', nullable: true }) run_message_id: string | null;
  /** Its name. */
  @Column({ type: 'text' }) step: string;
  /** Null: of any App. */
  @Column({ type: 'text', nullable: true }) app_id: string | null;
  /** Null: of any type. */
  @Column({ type: 'text', nullable: true }) event_type: string | null;
  /** A CEL expression over `event`, `metadata`, `request`, `run` and `steps`; null: none. */
  @Column({ type: 'text', nullable: true }) where: string | null;
  /** What the condition reads of the run. */
  @Column({ type: 'jsonb' }) given: WaitReads;
  /** The event that fulfils it is not routed as usual. */
  @Column({ type: 'boolean' }) consume: boolean;
  /** Events that were routed from then on count. */
  @Column({ type: 'timestamptz' }) since: Date;
  @Column({ type: 'timestamptz' }) until: Date;
  /** Whether the events were read that came before every router knew of it. */
  @Column({ type: 'boolean', default: false }) looked_back: boolean;
  /** Null while it waits. */
  @Column({ type: 'text', nullable: true }) outcome: WaitOutcome | null;
  /** What fulfilled it. */
  @Column({ type: 'text', nullable: true }) event_id: string | null;
  @Column({ type: 'text', nullable: true }) message_id: string | null;
  @Column({ type: 'timestamptz', nullable: true }) decided_at: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
