import type { OutboundContent } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** A committed answer on its way to the gateway: `open` until the gateway has taken it, `settled` when it ended there. */
@Entity({ schema: 'engine', name: 'reply' })
@Unique('reply_turn', ['turn_id', 'kind'])
@Index('reply_open', ['offered_at'], { where: "state = 'open'" })
export class Reply {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'reply_pkey' }) delivery_id: string;
  @Column({ type: 'text' }) turn_id: string;
  /** `answer`: the turn's. `failure_notice`: what its sender is told when it failed. Each at most once. */
  @Column({ type: 'text', default: 'answer' }) kind: 'answer' | 'failure_notice';
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'jsonb' }) content: OutboundContent;
  @Column({ type: 'text', nullable: true }) traceparent: string | null;
  @Column({ type: 'text' }) state: 'open' | 'taken' | 'settled';
  /** How it ended: `delivered`, `dead` or `unknown`. */
  @Column({ type: 'text', nullable: true }) outcome: string | null;
  /** When its job was last added. */
  @Column({ type: 'timestamptz' }) offered_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
