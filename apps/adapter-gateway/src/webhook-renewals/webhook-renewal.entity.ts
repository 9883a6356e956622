import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** State of the webhook of an App whose provider stops sending events unless it is asked again. */
@Entity({ schema: 'gateway', name: 'webhook_renewal' })
@Index('webhook_renewal_due', ['due_at'])
export class WebhookRenewalRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'webhook_renewal_pkey' }) app_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** When the provider is asked next. */
  @Column({ type: 'timestamptz' }) due_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) renewed_at: Date | null;
  /** Until when the provider sends events, where it says so. */
  @Column({ type: 'timestamptz', nullable: true }) expires_at: Date | null;
  /** Why the last try failed; null when it did not. */
  @Column({ type: 'text', nullable: true }) error: string | null;
  @Column({ type: 'text', nullable: true }) error_detail: string | null;
}
