import type { ToolGrade } from '#libs/contracts';
import type { ToolCall } from '../model/model.js';
import type { ArgumentCheck } from './argument-check.js';
import type { OfferedTools } from './offered-tools.js';
import { exceeds, failure, type Tool, type ToolFailure } from './tool.js';

/** What a turn may do: the tools it has, what it may do by itself, and whether a person may be asked for more. */
export interface TurnPowers {
  tools: OfferedTools;
  mayDo: ToolGrade;
  approvers: string[];
}

/** A call that passed every check. */
export interface CheckedCall {
  tool: Tool;
  args: Record<string, unknown>;
  grade: ToolGrade;
  needsApproval: boolean;
}

/** Why a check lets no call through. */
export const checkCodes = ['unknown_tool', 'invalid_arguments', 'not_allowed'];

/** Checks a call before it is made: the tool is one of the turn's, its arguments fit, and it does no more than it may. */
export function checkCall(call: ToolCall, powers: TurnPowers, check: ArgumentCheck): CheckedCall | ToolFailure {
  const tool = powers.tools.callable(call.name);
  if (!tool) {
    const hint = powers.tools.searchable > 0 ? ' find_tools finds more than are listed.' : '';
    return failure('unknown_tool', `There is no tool ${call.name.slice(0, 64)} here.${hint}`);
  }
  const problem = check.problem(tool.parameters, call.arguments);
  if (problem) return failure('invalid_arguments', problem);
  const args = call.arguments as Record<string, unknown>;
  const grade = tool.grade(args);
  const needsApproval = exceeds(grade, powers.mayDo);
  if (needsApproval && powers.approvers.length === 0) {
    return failure('not_allowed', `Only calls that ${powers.mayDo} are allowed in this turn.`);
  }
  return { tool, args, grade, needsApproval };
}
