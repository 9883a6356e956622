import type { InboundParsePayload } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A receipt that its adapter could not take. It waits here instead of holding a place in the queue. */
@Entity({ schema: 'gateway', name: 'inbound_wait' })
@Index('inbound_wait_due', ['adapter_id', 'next_at'])
export class InboundWaitRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'inbound_wait_pkey' }) receipt_id: string;
  @Column({ type: 'text' }) adapter_id: string;
  /** Without the request, which the ingress keeps. */
  @Column({ type: 'jsonb' }) job: InboundParsePayload;
  /** Attempts that failed; pauses do not count. */
  @Column({ type: 'integer' }) attempts: number;
  /** Why it waits. */
  @Column({ type: 'text' }) code: string;
  /** Whether it is being attempted. */
  @Column({ type: 'boolean' }) taken: boolean;
  /** The process that attempts it. */
  @Column({ type: 'text', nullable: true }) taken_by: string | null;
  /** When it may be attempted. While an attempt runs: when that counts as abandoned. */
  @Column({ type: 'timestamptz' }) next_at: Date;
  @Column({ type: 'timestamptz' }) waiting_since: Date;
}
