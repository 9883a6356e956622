import { Caller, Edits, PageQuery, type Principal, RequireScopes, ShowsEntityTag } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AgentPage, AgentView, agentView, CreateAgent, UpdateAgent } from './agent.dto.js';
import { AgentService } from './agent.service.js';

@ApiTags('agents')
@Controller('api/v1/agents')
export class AgentController {
  constructor(@Inject(AgentService) private readonly agents: AgentService) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'List agents', operationId: 'listAgents' })
  @ApiOkResponse({ type: AgentPage })
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<AgentPage> {
    const { data, next_cursor } = await this.agents.list(caller, query);
    return { data: data.map(agentView), next_cursor };
  }

  @Post()
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Create an agent', operationId: 'createAgent' })
  @ApiCreatedResponse({ type: AgentView })
  async create(@Caller() caller: Principal, @Body() body: CreateAgent): Promise<AgentView> {
    return agentView(await this.agents.create(caller, body));
  }

  @Get(':id')
  @ShowsEntityTag()
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Read an agent', operationId: 'getAgent' })
  @ApiOkResponse({ type: AgentView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AgentView> {
    return agentView(await this.agents.get(caller, id));
  }

  @Patch(':id')
  @Edits<AgentController>((controller, caller, id) => controller.get(caller, id))
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Change an agent', operationId: 'updateAgent' })
  @ApiOkResponse({ type: AgentView })
  async update(@Caller() caller: Principal, @Param('id') id: string, @Body() body: UpdateAgent): Promise<AgentView> {
    return agentView(await this.agents.update(caller, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Delete an agent', operationId: 'deleteAgent' })
  @ApiNoContentResponse()
  async delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.agents.delete(caller, id);
  }
}
