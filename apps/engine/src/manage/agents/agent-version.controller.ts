import { Caller, PageQuery, type Principal, RequireScopes, RowNumberPipe, Whole } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { AgentDifferences, AgentVersionDetail, AgentVersionPage, NewDraft, Promotion } from './agent-version.dto.js';
import { AgentVersionService } from './agent-version.service.js';
import { AgentView, agentView } from './agent.dto.js';

const versionNumber = new RowNumberPipe('version');

class ComparedWith {
  @Type(() => Number)
  @Whole(1, 2_147_483_647, { optional: true, description: 'A version; default: the one in force' })
  with?: number;
}

@ApiTags('agents')
@Controller('api/v1/agents/:id/versions')
export class AgentVersionController {
  constructor(private readonly versions: AgentVersionService) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Versions of an agent, newest first', operationId: 'listAgentVersions' })
  @ApiOkResponse({ type: AgentVersionPage })
  list(@Caller() caller: Principal, @Param('id') id: string, @Query() query: PageQuery): Promise<AgentVersionPage> {
    return this.versions.list(caller, id, query);
  }

  @Post()
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Make a draft: a version that is not in force', operationId: 'createAgentDraft' })
  @ApiCreatedResponse({ type: AgentVersionDetail })
  draft(@Caller() caller: Principal, @Param('id') id: string, @Body() body: NewDraft): Promise<AgentVersionDetail> {
    return this.versions.draft(caller, id, body);
  }

  @Get(':version')
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Read a version of an agent', operationId: 'getAgentVersion' })
  @ApiOkResponse({ type: AgentVersionDetail })
  get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('version', versionNumber) version: number,
  ): Promise<AgentVersionDetail> {
    return this.versions.get(caller, id, version);
  }

  @Get(':version/differences')
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'What differs between two versions of an agent', operationId: 'compareAgentVersions' })
  @ApiOkResponse({ type: AgentDifferences })
  differences(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('version', versionNumber) version: number,
    @Query() query: ComparedWith,
  ): Promise<AgentDifferences> {
    return this.versions.differences(caller, id, version, query.with);
  }

  @Post(':version/promote')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Put a version in force: a draft, or an earlier one', operationId: 'promoteAgentVersion' })
  @ApiOkResponse({ type: AgentView })
  async promote(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('version', versionNumber) version: number,
    @Body() body: Promotion,
  ): Promise<AgentView> {
    return agentView(await this.versions.promote(caller, id, version, body));
  }
}
