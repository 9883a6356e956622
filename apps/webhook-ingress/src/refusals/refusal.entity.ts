import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A refused request: what is needed to find out why, without its body. */
@Entity({ schema: 'ingress', name: 'refusal' })
@Index('refusal_by_project', ['project_id', 'id'])
@Index('refusal_open', ['at'], { where: 'event_id IS NULL' })
export class Refusal {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'refusal_pkey' }) id: string;
  @Column({ type: 'timestamptz' }) at: Date;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) code: string;
  @Column({ type: 'text' }) method: string;
  @Column({ type: 'text' }) header_names: string;
  @Column({ type: 'integer' }) body_bytes: number;
  @Column({ type: 'text' }) body_sha256: string;
  @Column({ type: 'text' }) remote_address: string;
  /** Requests that this row stands for: those over a limit are counted, not listed. */
  @Column({ type: 'integer', default: 1 }) times: number;
  /** When the last of several was refused. */
  @Column({ type: 'timestamptz', nullable: true }) last_at: Date | null;
  /** The sender's own name for the delivery, where it gives one. */
  @Column({ type: 'text', nullable: true }) delivery_id: string | null;
  /** The key under which the delivery is stored if it comes back. */
  @Column({ type: 'bytea', nullable: true }) key_hash: Buffer | null;
  /** The event of the same delivery, sent again later. */
  @Column({ type: 'text', nullable: true }) event_id: string | null;
}
