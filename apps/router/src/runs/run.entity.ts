import type { TurnReply } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * `suspended`: its workflow is, or more messages are waited for. `queued`: its turn is to be taken by the engine; `running`:
 * it was. `waiting`: what it needs is away, `reason` says what. `waiting_approval`: a person has to decide before it goes on.
 */
export const runStates = [
  'suspended',
  'queued',
  'running',
  'waiting',
  'waiting_approval',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const;
export type RunState = (typeof runStates)[number];

/** One run of a workflow for one message. */
@Entity({ schema: 'router', name: 'run' })
@Index('run_by_project', ['project_id', 'id'])
@Index('run_by_receipt', ['receipt_id'])
@Index('run_once', ['message_id', 'workflow_id', 'trigger_id'], { unique: true, where: `"replay" = false` })
export class RunRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'run_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'integer' }) workflow_id: number;
  /** Null when the message named the workflow itself. */
  @Column({ type: 'text', nullable: true }) trigger_id: string | null;
  @Column({ type: 'text' }) message_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'boolean' }) replay: boolean;
  /** A replay without delivery: its calls that would change something are not made. */
  @Column({ type: 'boolean', default: false }) rehearsal: boolean;
  /** The run that this one repeats. */
  @Column({ type: 'text', nullable: true }) replay_of: string | null;
  @Column({ type: 'text' }) state: RunState;
  @Column({ type: 'text', nullable: true }) error: string | null;
  /** Whether a reply was sent; `reason`: what it lacks, or why there is none; while it waits, for what. */
  @Column({ type: 'text', nullable: true }) reply: TurnReply['reply'] | null;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  /** When a `waiting` run fails. */
  @Column({ type: 'timestamptz', nullable: true }) waiting_until: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;
}
