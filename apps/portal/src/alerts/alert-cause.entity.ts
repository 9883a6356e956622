import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { AlertRule } from './alert-rule.entity.js';

/** What one rule sees now, from its beginning until it is over. */
@Entity({ schema: 'portal', name: 'alert_cause' })
export class AlertCause {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'alert_cause_pkey' }) rule_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'alert_cause_pkey' }) cause: string;
  /** The service whose report it is in: while that does not answer, nobody knows whether it is over. */
  @Column({ type: 'text' }) service: string;
  @Column({ type: 'text' }) code: string;
  @Column({ type: 'text' }) severity: 'error' | 'warning';
  @Column({ type: 'text' }) text: string;
  @Column({ type: 'text' }) what_to_do: string;
  /** What tells this time from the next one. */
  @Column({ type: 'timestamptz' }) opened_at: Date;
  /** Alerts of it so far, `still` included. */
  @Column({ type: 'integer', default: 0 }) announced: number;
  /** When `still` is due; null: nothing was sent yet, or it was sent as often as it may be. */
  @Column({ type: 'timestamptz', nullable: true }) still_at: Date | null;
  /** Since when it has not been seen. */
  @Column({ type: 'timestamptz', nullable: true }) gone_since: Date | null;

  @ManyToOne(() => AlertRule, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'rule_id', foreignKeyConstraintName: 'alert_cause_rule_fkey' })
  rule: Relation<AlertRule>;
}
