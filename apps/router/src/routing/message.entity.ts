import type { NormalizedMessage } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What became of one trigger for one message, and why. */
export interface Verdict {
  trigger_id: string;
  workflow_id: number;
  verdict: 'matched' | 'filtered' | 'suspended' | 'off';
  reason: string | null;
}

/** A message that was claimed: handled once, whatever is delivered again. */
@Entity({ schema: 'router', name: 'message' })
@Index('message_by_receipt', ['receipt_id'])
export class MessageRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'message_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'boolean' }) verified: boolean;
  @Column({ type: 'jsonb' }) message: NormalizedMessage;
  @Column({ type: 'text' }) outcome: string;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @Column({ type: 'jsonb' }) verdicts: Verdict[];
  @Column({ type: 'timestamptz' }) created_at: Date;
}
