import type { NormalizedMessage } from '#libs/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Messages too large for a job, kept until the router has read them. */
@Entity({ schema: 'gateway', name: 'parsed_messages' })
export class ParsedMessages {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'parsed_messages_pkey' }) receipt_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'jsonb' }) messages: NormalizedMessage[];
  @Column({ type: 'timestamptz' }) created_at: Date;
}
