import type { LeftOutTool } from '#libs/contracts';
import type { SkillToolEntry } from '../entities/skill-version.entity.js';
import { builtinOf } from './tool-view.js';
import type { Tool } from './tool.entity.js';

type Reason = Pick<LeftOutTool, 'reason' | 'what_to_do'>;

export const notThere: Reason = {
  reason: 'not_found',
  what_to_do: 'The tool no longer exists: remove it.',
};

export const notPython: Reason = {
  reason: 'not_python',
  what_to_do: 'Only a Python tool can be used without a Skill: give the agent the Skill that has it.',
};

/** Tools that a Skill names but no model is given, with what a person can do about each. */
export function leftOutOf(slug: string, tools: SkillToolEntry[], known: Map<string, Tool>): LeftOutTool[] {
  return tools.flatMap(({ tool: reference, enabled }) => {
    const builtin = builtinOf(reference);
    const row = known.get(reference);
    const reason = enabled ? (builtin ? null : reasonOf(row)) : turnedOff;
    return reason ? [{ id: reference, name: builtin?.name ?? row?.name ?? reference, skill: slug, ...reason }] : [];
  });
}

const turnedOff: Reason = { reason: 'turned_off', what_to_do: 'It is turned off in the Skill: turn it on there.' };

function reasonOf(tool: Tool | undefined): Reason | null {
  if (!tool) return notThere;
  switch (tool.state) {
    case 'approved':
      return null;
    case 'pending':
      return { reason: 'pending', what_to_do: `It is new at its server: review and approve it.` };
    case 'changed':
      return {
        reason: 'changed',
        what_to_do: `Its server changed it: review the change and approve it.`,
      };
    case 'quarantined':
      return {
        reason: 'quarantined',
        what_to_do: `Its definition cannot be used and must be fixed at its server: ${tool.problem ?? 'unknown'}.`,
      };
    case 'removed':
      return { reason: 'removed', what_to_do: 'Its server no longer lists it: remove it from the Skill.' };
  }
}
