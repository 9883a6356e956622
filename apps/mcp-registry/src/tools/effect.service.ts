import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { ENGINE } from '../services.js';
import type { LeftOutTool } from '#libs/contracts';
import type { EffectView } from './agent-effect.dto.js';
import { leftOutOf } from './left-out.js';
import type { ToolChangeView, ToolView } from './tool.dto.js';
import { ToolRepository } from './tool.repository.js';

const mostSkills = 50;

interface NamedSkill {
  id: string;
  slug: string;
  tools: { tool: string; enabled?: boolean }[];
}

/**
 * Reports the effect of a change of a Skill or a tool: what no model is given of it, and what its agents' models now
 * get.
 */
@Injectable()
export class EffectService {
  constructor(
    private readonly tools: ToolRepository,
    @Inject(ENGINE) private readonly engine: ServiceClient,
  ) {}

  async ofSkill<Skill extends NamedSkill>(
    caller: Principal,
    skill: Skill,
  ): Promise<Skill & { left_out: LeftOutTool[]; effect: EffectView }> {
    const entries = skill.tools.map(({ tool, enabled = true }) => ({ tool, enabled }));
    const rows = await this.tools.findAll(
      caller,
      entries.map(({ tool }) => tool),
    );
    const left_out = leftOutOf(skill.slug, entries, new Map(rows.map((tool) => [tool.id, tool])));
    return { ...skill, left_out, effect: await this.onAgents(caller, [skill.id], null) };
  }

  async ofTool(caller: Principal, tool: ToolView): Promise<ToolChangeView> {
    const skills = await this.tools.skillsWith(tool.id);
    const ids = skills.slice(0, mostSkills).map(({ id }) => id);
    return { ...tool, effect: await this.onAgents(caller, ids, tool.id) };
  }

  /** The change is already made. If the engine does not answer, the change stands and the answer says so. */
  private async onAgents(caller: Principal, skillIds: string[], toolId: string | null): Promise<EffectView> {
    const query = new URLSearchParams({ skill_ids: skillIds.join(','), ...(toolId ? { tool_id: toolId } : {}) });
    try {
      const answer = await this.engine.get<Omit<EffectView, 'error'>>(
        `/internal/agents/toolsets?${query.toString()}`,
        caller,
      );
      return { ...answer, error: null };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const message = 'The change was made. The agents that have it could not be read: read them later.';
      return { agents: [], more: 0, error: { code: error.code, message } };
    }
  }
}
