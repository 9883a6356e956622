import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Messages too large for a job, kept until the router has read them. Stored as text: jsonb accepts neither U+0000 nor a
 * lone surrogate, and adapters pass both on.
 */
@Entity({ schema: 'gateway', name: 'parsed_messages' })
export class ParsedMessages {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'parsed_messages_pkey' }) receipt_id: string;
  @Column({ type: 'text' }) organization_id: string;
  /** JSON: `NormalizedMessage[]`. */
  @Column({ type: 'text' }) messages: string;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
