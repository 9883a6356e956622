import {
  Caller,
  Edits,
  type Principal,
  RequireScopes,
  SearchQuery,
  ShowsEntityTag,
  TagsWithout,
} from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AgentDetail, AgentToolsetView, ToolsetQuery } from './agent-toolset.dto.js';
import { AgentToolsetService } from './agent-toolset.service.js';
import { AgentPage, agentView, CreateAgent, UpdateAgent } from './agent.dto.js';
import type { Agent } from '../../entities/agent.entity.js';
import { AgentService } from './agent.service.js';

@ApiTags('agents')
@Controller('api/v1/agents')
export class AgentController {
  constructor(
    private readonly agents: AgentService,
    private readonly toolsets: AgentToolsetService,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'List agents', operationId: 'listAgents' })
  @ApiOkResponse({ type: AgentPage })
  async list(@Caller() caller: Principal, @Query() query: SearchQuery): Promise<AgentPage> {
    const { data, next_cursor } = await this.agents.list(caller, query);
    return { data: data.map(agentView), next_cursor };
  }

  @Post()
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Create an agent', operationId: 'createAgent' })
  @ApiCreatedResponse({ type: AgentDetail })
  async create(@Caller() caller: Principal, @Body() body: CreateAgent): Promise<AgentDetail> {
    return this.detail(await this.agents.create(caller, body));
  }

  @Get(':id')
  @ShowsEntityTag()
  @TagsWithout('toolset')
  @RequireScopes('agents:read')
  @ApiOperation({
    summary: 'Read an agent, with the tools that its model is given and those that it is not',
    operationId: 'getAgent',
  })
  @ApiOkResponse({ type: AgentDetail })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AgentDetail> {
    return this.detail(await this.agents.get(caller, id));
  }

  @Get(':id/toolset')
  @RequireScopes('agents:read')
  @ApiOperation({
    summary: "Read which tools an agent's model is given for one kind of sender, and why not the others",
    operationId: 'getAgentToolset',
  })
  @ApiOkResponse({ type: AgentToolsetView })
  async toolset(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { sender }: ToolsetQuery,
  ): Promise<AgentToolsetView> {
    return this.toolsets.of(await this.agents.get(caller, id), sender);
  }

  @Patch(':id')
  @TagsWithout('toolset')
  @Edits<AgentController>(async (controller, caller, id) => agentView(await controller.agents.get(caller, id)))
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Change an agent', operationId: 'updateAgent' })
  @ApiOkResponse({ type: AgentDetail })
  async update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateAgent): Promise<AgentDetail> {
    return this.detail(await this.agents.update(caller, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Delete an agent', operationId: 'deleteAgent' })
  @ApiNoContentResponse()
  async delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.agents.delete(caller, id);
  }

  private async detail(agent: Agent): Promise<AgentDetail> {
    return { ...agentView(agent), toolset: await this.toolsets.of(agent) };
  }
}
