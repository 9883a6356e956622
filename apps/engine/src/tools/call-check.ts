import type { ToolGrade } from '#libs/contracts';
import type { ApprovalReason } from '../approvals/approval.entity.js';
import type { ToolCall } from '../model/model.js';
import type { ArgumentCheck } from './argument-check.js';
import type { OfferedTools } from './offered-tools.js';
import { exceeds, failure, type Tool, type ToolFailure } from './tool.js';

/** What a turn may do: its tools, what it may do by itself, and whether a person may be asked for more. */
export interface TurnPowers {
  tools: OfferedTools;
  mayDo: ToolGrade;
  approvers: string[];
  /** Hosts that the agent itself or its Skills' bindings name. */
  hosts: readonly string[];
}

/** A call that passed every check. */
export interface CheckedCall {
  tool: Tool;
  args: Record<string, unknown>;
  grade: ToolGrade;
  /** Why a person has to approve it; null: no approval is needed. */
  asks: ApprovalReason | null;
}

/** Codes with which a check rejects a call. */
export const checkCodes = ['unknown_tool', 'invalid_arguments', 'not_allowed', 'untrusted_content'];

/**
 * Checks a call before it is made: the turn has the tool, the arguments are valid, and the call stays within its
 * powers.
 * @param tainted a trusted sender's turn had read untrusted content when the model asked. By itself, it may then only
 *   do what an untrusted sender's turn may.
 */
export function checkCall(
  call: ToolCall,
  powers: TurnPowers,
  check: ArgumentCheck,
  tainted: boolean,
): CheckedCall | ToolFailure {
  const tool = powers.tools.callable(call.name);
  if (!tool) {
    const hint = powers.tools.searchable > 0 ? ' find_tools finds more than are listed.' : '';
    if (call.name === '') return failure('unknown_tool', `The call names no tool.${hint}`);
    return failure('unknown_tool', `There is no tool ${call.name.slice(0, 64)} here.${hint}`);
  }
  const problem = check.problem(tool.parameters, call.arguments);
  if (problem) return failure('invalid_arguments', problem);
  const args = call.arguments as Record<string, unknown>;
  const grade = tool.grade(args);
  const isOver = exceeds(grade, powers.mayDo);
  const asked = powers.approvers.length > 0;
  if (isOver && !asked) return failure('not_allowed', `Only calls that ${powers.mayDo} are allowed in this turn.`);
  const beyond = tainted ? (grade === 'read' ? tool.beyond(args, powers.hosts) : `it is graded ${grade}`) : null;
  if (beyond !== null && !asked) {
    const what = `The turn has read untrusted content, so this call needs a person's approval (${beyond})`;
    return failure('untrusted_content', `${what}, and the agent names no approvers.`);
  }
  const reason = beyond === null ? null : 'untrusted_content';
  return { tool, args, grade, asks: isOver ? 'over_may_do' : reason };
}
