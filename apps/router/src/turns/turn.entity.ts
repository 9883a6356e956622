import type { TurnInput, TurnReply } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * `waiting`: behind another turn of its session. `held`: its workflow is suspended, or waits for more messages. `open`:
 * offered to the engine. `collected`: answered by another turn. `handled`: a person took care of it.
 */
export type TurnState = 'waiting' | 'held' | 'open' | 'succeeded' | 'failed' | 'cancelled' | 'collected' | 'handled';

/** One turn that the engine is asked for. */
@Entity({ schema: 'router', name: 'turn' })
@Index('turn_by_receipt', ['receipt_id'])
@Index('turn_by_run', ['run_id'], { where: `"run_id" IS NOT NULL` })
@Index('turn_handled', ['session_id'], { where: `"state" = 'handled'` })
@Index('turn_open', ['woken_at'], { where: `"state" = 'open'` })
export class TurnRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'text', nullable: true }) run_id: string | null;
  @Column({ type: 'text', nullable: true }) session_id: string | null;
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  @Column({ type: 'integer' }) epoch: number;
  @Column({ type: 'jsonb' }) input: TurnInput;
  @Column({ type: 'text' }) state: TurnState;
  @Column({ type: 'text', nullable: true }) error: string | null;
  /** Of one that succeeded: whether a reply was sent, and what it lacks or why there is none. */
  @Column({ type: 'text', nullable: true }) reply: TurnReply['reply'] | null;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  /** How often it was opened again after it had failed. */
  @Column({ type: 'integer', default: 0 }) redrives: number;
  @Column({ type: 'text', nullable: true }) message_id: string | null;
  /** The engine is told to end the turn, until it says that it has. */
  @Column({ type: 'boolean' }) cancel_requested: boolean;
  @Column({ type: 'text', nullable: true }) collected_into: string | null;
  /** How far the engine has told that it is: grows. */
  @Column({ type: 'integer', default: 0 }) progress: number;
  @Column({ type: 'timestamptz' }) woken_at: Date;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;
}
