import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * A contact among the approvers who is asked in their own channel. `done`: the gateway has the message; `dead`: the
 * contact was not asked, for its `reason`.
 */
@Entity({ schema: 'engine', name: 'approval_ask' })
@Unique('approval_ask_contact', ['approval_id', 'contact_id'])
@Unique('approval_ask_token', ['token'])
@Index('approval_ask_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
export class ApprovalAsk extends WorkRow<'queued' | 'running' | 'done' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'approval_ask_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) approval_id: string;
  @Column({ type: 'text' }) contact_id: string;
  /** What the choices carry instead of the approval's id: nobody can guess it or ask with it for another call. */
  @Column({ type: 'text' }) token: string;
  @Column({ type: 'text', nullable: true }) delivery_id: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
