import type { ToolGrade } from '#libs/contracts';
import { Caller, notFound, type Principal, Problem, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type AgentEffect, AgentToolsetService } from './agent-toolset.service.js';
import type { Agent } from '../../entities/agent.entity.js';
import { AgentRepository } from './agent.repository.js';

class UsingQuery {
  @Text(100, { optional: true }) skill_id?: string;
  @Text(100, { optional: true }) tool_id?: string;
}

class EffectQuery {
  @Text(10_000, { optional: true, description: 'Skills, separated by commas' }) skill_ids?: string;
  @Text(100, { optional: true, description: 'A Python tool that agents have without a Skill' }) tool_id?: string;
}

const shownAgents = 20;

interface AgentPower {
  id: string;
  name: string;
  may_do: ToolGrade;
  has_approvers: boolean;
}

/** For other services: which agents use a Skill or Python tool, and whether an agent exists. */
@ApiExcludeController()
@Controller('internal/agents')
@RequireScopes('service')
export class AgentUsageController {
  constructor(
    private readonly agents: AgentRepository,
    private readonly toolsets: AgentToolsetService,
  ) {}

  @Get('using')
  async using(
    @Caller() caller: Principal,
    @Query() query: UsingQuery,
  ): Promise<{ agents: { id: string; name: string }[] }> {
    const id = query.skill_id ?? query.tool_id;
    if (!id) throw new Problem(422, 'invalid_fields', 'Give skill_id or tool_id.');
    const found = await this.agents.using(caller, query.skill_id ? 'skills' : 'python_tools', id);
    return { agents: found.map(({ id: agentId, name }) => ({ id: agentId, name })) };
  }

  /** What the models of a changed Skill's or Python tool's agents get of it; at most `shownAgents`, by name. */
  @Get('toolsets')
  async effects(
    @Caller() caller: Principal,
    @Query() query: EffectQuery,
  ): Promise<{ agents: AgentEffect[]; more: number }> {
    const agents = await this.having(caller, query);
    const shown = await Promise.all(agents.slice(0, shownAgents).map((agent) => this.toolsets.effectOn(agent)));
    return { agents: shown, more: agents.length - shown.length };
  }

  /** What those agents may do by themselves, and whether they name approvers; at most `shownAgents`, by name. */
  @Get('powers')
  async powers(
    @Caller() caller: Principal,
    @Query() query: EffectQuery,
  ): Promise<{ agents: AgentPower[]; more: number }> {
    const agents = await this.having(caller, query);
    const shown = agents.slice(0, shownAgents).map(({ id, name, may_do, approvers }) => {
      return { id, name, may_do, has_approvers: approvers.length > 0 };
    });
    return { agents: shown, more: agents.length - shown.length };
  }

  /** @throws Problem 404 `agent_not_found` */
  @Get(':id')
  async exists(@Caller() caller: Principal, @Param('id') id: string): Promise<{ id: string }> {
    if (!(await this.agents.find(caller, id))) throw notFound('agent', id);
    return { id };
  }

  private async having(caller: Principal, { skill_ids: ids = '', tool_id: toolId }: EffectQuery): Promise<Agent[]> {
    const skills = ids.split(',').filter((id) => id !== '');
    const found = [
      ...(await Promise.all(skills.map((id) => this.agents.using(caller, 'skills', id)))).flat(),
      ...(toolId ? await this.agents.using(caller, 'python_tools', toolId) : []),
    ];
    return [...new Map(found.map((agent) => [agent.id, agent])).values()];
  }
}
