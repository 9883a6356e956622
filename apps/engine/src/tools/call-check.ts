import type { ContentTrust, ToolGrade } from '#libs/contracts';
import type { ApprovalReason } from '../entities/approval.entity.js';
import type { ToolCall } from '../model/model.js';
import type { ArgumentCheck } from './argument-check.js';
import type { OfferedTools } from './offered-tools.js';
import { exceeds, failure, type Tool, type ToolFailure } from './tool.js';

/** What a turn may do: its tools, what it may do by itself, and whether a person may be asked for more. */
export interface TurnPowers {
  tools: OfferedTools;
  mayDo: ToolGrade;
  /** Those whom the agent names. */
  approvers: string[];
  /** Why none of them may decide over this turn's calls, in words; null: somebody may. */
  nobody: string | null;
  /** Tools of the agent that this turn does not have because of its sender, with the reason in words; null: none. */
  withheld: { names: string[]; why: string } | null;
  /** Hosts that the agent itself, its Skills' bindings or its trusted sender name. */
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
export const checkCodes = ['unknown_tool', 'invalid_arguments', 'not_allowed', 'untrusted_content', 'partner_content'];

/**
 * Checks a call before it is made: the turn has the tool, the arguments are valid, and the call stays within its
 * powers.
 * @param window the trust of what was in the window of a trusted sender's turn when the model asked
 */
export function checkCall(
  call: ToolCall,
  powers: TurnPowers,
  check: ArgumentCheck,
  window: ContentTrust,
): CheckedCall | ToolFailure {
  const tool = powers.tools.callable(call.name);
  if (!tool) {
    const hint = powers.tools.searchable > 0 ? ' find_tools finds more than are listed.' : '';
    if (call.name === '') return failure('unknown_tool', `The call names no tool.${hint}`);
    const { withheld } = powers;
    if (withheld?.names.includes(call.name)) {
      return failure('unknown_tool', `This turn does not have ${call.name}: ${withheld.why}.`);
    }
    return failure('unknown_tool', `There is no tool ${call.name.slice(0, 64)} here.${hint}`);
  }
  const problem = check.problem(tool.parameters, call.arguments);
  if (problem) return failure('invalid_arguments', problem);
  const args = call.arguments as Record<string, unknown>;
  const grade = tool.grade(args);
  const isOver = exceeds(grade, powers.mayDo);
  const { nobody } = powers;
  if (isOver && nobody !== null) {
    return failure('not_allowed', `Only calls that ${powers.mayDo} are allowed in this turn: ${nobody}.`);
  }
  const beyond = beyondWindow(window, grade, tool.elsewhere(args, powers.hosts));
  if (beyond !== null && nobody !== null) {
    const what = `The conversation holds ${window} content, so this call needs a person's approval (${beyond})`;
    return failure(beyondReasons[window], `${what}, and ${nobody}.`);
  }
  return { tool, args, grade, asks: isOver ? 'over_may_do' : beyond === null ? null : beyondReasons[window] };
}

/** Why a call asks, by what is in the window. */
const beyondReasons = { own: 'over_may_do', partner: 'partner_content', untrusted: 'untrusted_content' } as const;

/**
 * Why a turn may not make a call by itself with content of this trust in its window, in words; null: it may. This is
 * the table of docs/security.md: reads of what the project names always go on, changes only as far as who wrote the
 * content is believed.
 * @param elsewhere an address that the call reaches and that nobody trusted has named; null: none
 */
export function beyondWindow(window: ContentTrust, grade: ToolGrade, elsewhere: string | null): string | null {
  if (window === 'own') return null;
  if (grade === 'destructive' || (grade === 'write' && window === 'untrusted')) return `it is graded ${grade}`;
  return window === 'untrusted' && elsewhere !== null ? `it reaches ${elsewhere}, which the agent does not name` : null;
}
