import type { ToolGrade } from '#libs/contracts';
import type { ApprovalReason } from '../entities/approval.entity.js';

/** A call that the turn may not make by itself. */
export interface AskedCall {
  ref: string;
  tool: string;
  /** From the tool's definition; null for a built-in. */
  pin: string | null;
  grade: ToolGrade;
  reason: ApprovalReason;
  args: Record<string, unknown>;
}

/** The turn has to wait for approvals. Everything else in this step is already done and stored. */
export class ApprovalNeeded extends Error {
  override readonly name = 'ApprovalNeeded';
  constructor(readonly calls: AskedCall[]) {
    super('the turn waits for approval');
  }
}
