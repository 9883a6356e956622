import type { Toolset } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../entities/agent.entity.js';
import { REGISTRY } from '../../services.js';

/** The registry did not return the agent's tools. The turn is retried later rather than run without them. */
export class ToolsetUnavailable extends Error {
  override readonly name = 'ToolsetUnavailable';
  readonly code = 'toolset_unavailable';
}

const nothing: Toolset = { skills: [], tools: [], problems: [], left_out: [] };

/** Asks the registry for an agent's tools. For an agent without Skills and Python tools, no request is made. */
@Injectable()
export class ToolsetClient {
  constructor(@Inject(REGISTRY) private readonly registry: ServiceClient) {}

  /** @throws ToolsetUnavailable */
  async of(agent: Agent): Promise<Toolset> {
    if (agent.skills.length + agent.python_tools.length === 0) return nothing;
    const query = new URLSearchParams({
      skill_ids: agent.skills.join(','),
      tool_ids: agent.python_tools.join(','),
      agent_id: agent.id,
    });
    const scope = { organizationId: agent.organization_id, projectId: agent.project_id };
    try {
      return await this.registry.get<Toolset>(`/internal/toolsets?${query.toString()}`, scope);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new ToolsetUnavailable(`the registry did not give the toolset: ${error.code}`, { cause: error });
    }
  }
}
