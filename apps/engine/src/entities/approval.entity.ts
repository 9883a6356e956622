import type { ToolGrade } from '#libs/contracts';
import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export type ApprovalState = 'pending' | 'approved' | 'refused' | 'expired' | 'cancelled';

/**
 * Why a call needs a person: its grade exceeds the agent's `may_do`, or what the trust of the window's content allows.
 * `workflow_step`: it is no call, but a step of a workflow that asks.
 */
export const approvalReasons = ['over_may_do', 'untrusted_content', 'partner_content', 'workflow_step'] as const;
export type ApprovalReason = (typeof approvalReasons)[number];

/** Whether an approver is a person, not a key, which may be anything's. @param approver `key:<id>`, `user:<id>` or `contact:<id>` */
export function isPerson(approver: string): boolean {
  return /^(?:user|contact):/.test(approver);
}

/** A decision on a call, with the definition of its tool that it applies to. */
export interface DecidedCall {
  state: ApprovalState;
  pin: string | null;
}

/** A call that waits for a person. It is decided once. Its turn occupies no process while it waits. */
@Entity({ schema: 'engine', name: 'approval' })
@Unique('approval_call', ['turn_id', 'call_ref'])
@Index('approval_pending', ['expires_at'], { where: "state = 'pending'" })
@Index('approval_project', ['project_id', 'id'])
export class Approval {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'approval_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) turn_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'text' }) app_id: string;
  /** Which call of the turn: `<seq of the model's step>.<id of the call>`. */
  @Column({ type: 'text' }) call_ref: string;
  @Column({ type: 'text' }) tool: string;
  /** Pin of the definition that the approver saw. A tool that has changed since is not called. Null for a built-in. */
  @Column({ type: 'text', nullable: true }) tool_pin: string | null;
  @Column({ type: 'text' }) grade: ToolGrade;
  /** As the model wrote them. The approval covers exactly this call. */
  @Column({ type: 'jsonb' }) arguments: Record<string, unknown>;
  /** Who may decide, as the agent named them when the call was made. */
  @Column({ type: 'text', array: true }) approvers: string[];
  /** Why the call needs a person. */
  @Column({ type: 'text', default: 'over_may_do' }) reason: ApprovalReason;
  /** Who asked for the turn: `contact:<id>`, `user:<id>`, or `key:<id>` of the first key of a chain. They may not decide. */
  @Column({ type: 'text', array: true, default: '{}' }) requested_by: string[];
  /** People among the approvers may decide although they asked for the turn. */
  @Column({ type: 'boolean', default: false }) decide_own: boolean;
  @Column({ type: 'text' }) state: ApprovalState;
  @Column({ type: 'text', nullable: true }) decided_by: string | null;
  @Column({ type: 'text', nullable: true }) note: string | null;
  @Column({ type: 'timestamptz' }) expires_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) decided_at: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

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
