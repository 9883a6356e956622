import type { LeftOutTool, ToolGrade } from '#libs/contracts';
import type { ArgumentCheck } from './argument-check.js';
import { exceeds, type Tool } from './tool.js';

export interface SiftedTools {
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

export function leftOut({ id, name, skill }: Tool, reason: Pick<LeftOutTool, 'reason' | 'what_to_do'>): LeftOutTool {
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
