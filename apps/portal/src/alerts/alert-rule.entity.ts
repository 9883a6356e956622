import type { ScopeColumns } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Where alerts go: an App that sends, and an address as its channel has one. */
export interface Receiver {
  app_id: string;
  address: string;
  kind: 'builtin' | 'adapter';
}

/** Times in which nothing is sent. `from` and `to` are HH:MM; over midnight where `to` is earlier. */
export interface QuietHours {
  from: string;
  to: string;
  /** IANA name. */
  time_zone: string;
  /** Saturday and Sunday too, all day. */
  weekends: boolean;
}

export const rateMeasures = ['failed', 'refused', 'waiting'] as const;

/** A share of the messages of the last minutes that is too large. */
export interface RateBound {
  measure: (typeof rateMeasures)[number];
  over_percent: number;
  minutes: number;
  /** Fewer messages say nothing. */
  at_least: number;
}

/** What a project is alerted to, and where. */
@Entity({ schema: 'portal', name: 'alert_rule' })
@Index('alert_rule_project_idx', ['project_id', 'id'])
export class AlertRule implements ScopeColumns {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'alert_rule_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'boolean', default: true }) enabled: boolean;
  /** Codes of attention; empty: any. Null: it is a rule on a rate. */
  @Column({ type: 'jsonb', nullable: true }) codes: string[] | null;
  @Column({ type: 'jsonb', nullable: true }) rate: RateBound | null;
  @Column({ type: 'jsonb' }) receivers: Receiver[];
  @Column({ type: 'jsonb', nullable: true }) quiet: QuietHours | null;
  /** How long a cause lasts before it alerts. */
  @Column({ type: 'integer' }) after_minutes: number;
  /** The first pause before `still`; it doubles. */
  @Column({ type: 'integer' }) still_minutes: number;
  @Column({ type: 'timestamptz', nullable: true }) muted_until: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}
