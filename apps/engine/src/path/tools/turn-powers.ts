import type { ContentTrust, LeftOutTool, ToolGrade } from '#libs/contracts';
import type { ApprovalReason } from '../../entities/approval.entity.js';
import type { ToolCall } from '../model/model.js';
import type { ArgumentCheck } from './argument-check.js';
import { exceeds, failure, type Tool, type ToolFailure } from './tool.js';

/** What a turn may do: its tools, what it may do by itself, and whether a person may be asked for more. */
export interface TurnPowers {
  tools: OfferedTools;
  mayDo: ToolGrade;
  /** The highest grade of a call, approved or not: `destructive` unless another agent asked. */
  most: ToolGrade;
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
  if (exceeds(grade, powers.most)) {
    return failure('not_allowed', `The agent that asks may have others only ${powers.most} in this call.`);
  }
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

/** The tools of one turn: those that the model is shown at once, and those that it finds by a search. */
export class OfferedTools {
  private readonly named: Map<string, Tool>;
  private readonly hidden: Map<string, Tool>;
  /** In the order in which they were found. */
  private found: string[] = [];

  /**
   * @param direct shown in every step
   * @param searched shown once they are found
   * @param room how many found tools are shown at once: the newest
   */
  constructor(
    private readonly direct: Tool[],
    searched: Tool[] = [],
    private readonly room = 0,
  ) {
    this.named = new Map(direct.map((tool) => [tool.name, tool]));
    this.hidden = new Map(searched.map((tool) => [tool.name, tool]));
  }

  /** The tools that the model is shown now. */
  get shown(): Tool[] {
    const found = this.found.slice(-this.room).flatMap((name) => this.hidden.get(name) ?? []);
    return this.room > 0 ? [...this.direct, ...found] : this.direct;
  }

  /** How many can only be found by a search. */
  get searchable(): number {
    return this.hidden.size;
  }

  /** A tool that the model was shown in this turn; undefined if there is none. */
  callable(name: string): Tool | undefined {
    return this.named.get(name) ?? (this.found.includes(name) ? this.hidden.get(name) : undefined);
  }

  /** The name of the tool that a model means: some add spaces, the namespace `functions.` or the number of the call. */
  nameOf(given: string): string {
    const bare = given.trim();
    const forms = [
      bare,
      bare.replace(/^functions?[.:/]/, ''),
      bare.replace(/^functions?[.:/]/, '').replace(/:\d+$/, ''),
    ];
    return forms.find((name) => this.callable(name)) ?? bare;
  }

  /** Shows tools that a search found. */
  reveal(names: string[]): void {
    const known = names.filter((name) => this.hidden.has(name));
    this.found = [...this.found.filter((name) => !known.includes(name)), ...known];
  }
}

interface SiftedTools {
  /** With unique names. */
  usable: Tool[];
  leftOut: LeftOutTool[];
}

/**
 * The tools that a turn may call at all, and why the others are left out.
 * @param by.most the highest grade that a call may have, with approval
 */
export function sift(tools: Tool[], by: { mayDo: ToolGrade; most: ToolGrade; check: ArgumentCheck }): SiftedTools {
  const sifted: SiftedTools = { usable: [], leftOut: [] };
  const kept = new Map<string, Tool>();
  for (const tool of tools) {
    const reason = reasonAgainst(tool, by, kept.get(tool.name));
    if (reason) sifted.leftOut.push(leftOut(tool, reason));
    else kept.set(tool.name, tool);
  }
  sifted.usable.push(...kept.values());
  return sifted;
}

export function leftOut(
  { id, name, skill }: Pick<Tool, 'id' | 'name' | 'skill'>,
  reason: Pick<LeftOutTool, 'reason' | 'what_to_do'>,
): LeftOutTool {
  return { id: id ?? `builtin:${name}`, name, skill, ...reason };
}

function reasonAgainst(
  tool: Tool,
  { mayDo, most, check }: { mayDo: ToolGrade; most: ToolGrade; check: ArgumentCheck },
  other: Tool | undefined,
): Pick<LeftOutTool, 'reason' | 'what_to_do'> | null {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name)) {
    return { reason: 'unusable_name', what_to_do: 'Models do not accept this name: rename the tool.' };
  }
  if (!check.isUsable(tool.parameters)) {
    const what =
      'Its input schema cannot be checked, so it is never called: correct the schema where the tool is defined.';
    return { reason: 'unusable_schema', what_to_do: what };
  }
  if (exceeds(tool.least, most)) {
    const what = `Its calls are graded ${tool.least}, but the agent's may_do is ${mayDo}: raise may_do, or name approvers.`;
    return { reason: 'over_may_do', what_to_do: what };
  }
  // An agent may have a built-in both by itself and by a Skill. The Skill's wins, since it has credentials.
  if (other === undefined || (other.source === 'builtin' && tool.source === 'builtin' && other.skill === null)) {
    return null;
  }
  return { reason: 'same_name', what_to_do: `Another tool of the agent is named ${tool.name}: rename one of them.` };
}
