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
