import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A time in which webhooks were lost by the platform's own fault. The gateway is informed, and asks the providers. */
@Entity({ schema: 'ingress', name: 'outage' })
@Index('outage_unannounced', ['id'], { where: 'announced_at IS NULL' })
export class Outage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'outage_pkey' }) id: string;
  /** Null: nothing was received, for any App. */
  @Column({ type: 'text', nullable: true }) app_id: string | null;
  @Column({ type: 'timestamptz' }) since: Date;
  @Column({ type: 'timestamptz' }) until: Date;
  /** When the gateway had stored it. */
  @Column({ type: 'timestamptz', nullable: true }) announced_at: Date | null;
}
