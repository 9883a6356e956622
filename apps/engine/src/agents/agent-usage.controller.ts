import { Caller, notFound, type Principal, Problem, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AgentRepository } from './agent.repository.js';

class UsingQuery {
  @Text(100, { optional: true }) skill_id?: string;
  @Text(100, { optional: true }) tool_id?: string;
}

/** For other services: who would miss a Skill or a Python tool, and whether an agent is there. */
@ApiExcludeController()
@Controller('internal/agents')
@RequireScopes('service')
export class AgentUsageController {
  constructor(@Inject(AgentRepository) private readonly agents: AgentRepository) {}

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

  /** @throws Problem 404 `agent_not_found` */
  @Get(':id')
  async exists(@Caller() caller: Principal, @Param('id') id: string): Promise<{ id: string }> {
    if (!(await this.agents.find(caller, id))) throw notFound('agent', id);
    return { id };
  }
}
