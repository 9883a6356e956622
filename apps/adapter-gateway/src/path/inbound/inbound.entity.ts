import type { InboundParsePayload } from '#libs/contracts';
import { openSuspect, WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A receipt that its adapter could not take. It waits here instead of holding a place in the queue. So does one that was
 * enqueued again, while it is attempted. `dead`: it killed its process; the row stays for a day.
 */
@Entity({ schema: 'gateway', name: 'inbound_wait' })
@Index('inbound_wait_suspect', ['due_at'], { where: openSuspect })
@Index('inbound_wait_due', ['adapter_id', 'due_at'])
export class InboundWaitRow extends WorkRow<'queued' | 'running' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'inbound_wait_pkey' }) receipt_id: string;
  @Column({ type: 'text' }) adapter_id: string;
  /** Without the request, which the ingress keeps. */
  @Column({ type: 'jsonb' }) job: InboundParsePayload;
}

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
