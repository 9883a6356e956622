import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The last time that an App's provider is asked, or was asked, for what it could not deliver. */
@Entity({ schema: 'gateway', name: 'missed_ask' })
@Index('missed_ask_due', ['due_at'], { where: "state IN ('queued', 'running')" })
export class MissedAsk extends WorkRow<'queued' | 'running' | 'done' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'missed_ask_pkey' }) app_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** When nothing was received: further outages widen it. */
  @Column({ type: 'timestamptz' }) since: Date;
  @Column({ type: 'timestamptz' }) until: Date;
  /** Where the next page begins; what came before is stored. */
  @Column({ type: 'text', nullable: true }) cursor: string | null;
  @Column({ type: 'integer', default: 0 }) pages: number;
  /** Deliveries that the provider was asked to send again. */
  @Column({ type: 'integer', default: 0 }) redeliveries: number;
  /** Requests that were fetched and stored; one that was there already does not count. */
  @Column({ type: 'integer', default: 0 }) stored: number;
  /** The words to `reason`. */
  @Column({ type: 'text', nullable: true }) detail: string | null;
}
