import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PythonToolService } from './python-tool.service.js';
import { EffectService } from './effect.service.js';
import {
  ApproveTool,
  ChangeTool,
  SavePythonTool,
  ToolChangeView,
  ToolDifference,
  ToolPage,
  ToolQuery,
  ToolVersionList,
  ToolView,
} from './tool.dto.js';
import { ToolService } from './tool.service.js';

@ApiTags('tools')
@Controller('api/v1/tools')
export class ToolController {
  constructor(
    private readonly tools: ToolService,
    private readonly python: PythonToolService,
    private readonly effects: EffectService,
  ) {}

  @Get()
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listTools', summary: 'All tools: built-in, of MCP servers, in Python' })
  @ApiOkResponse({ type: ToolPage })
  list(@Caller() caller: Principal, @Query() query: ToolQuery): Promise<ToolPage> {
    return this.tools.list(caller, query);
  }

  @Post()
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'createPythonTool', summary: 'Create a tool from Python source' })
  @ApiCreatedResponse({ type: ToolView })
  create(@Caller() caller: Principal, @Body() { source }: SavePythonTool): Promise<ToolView> {
    return this.python.create(caller, source);
  }

  @Get(':id')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'getTool', summary: 'One tool' })
  @ApiOkResponse({ type: ToolView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ToolView> {
    return this.tools.view(caller, id);
  }

  @Patch(':id')
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'gradeTool', summary: 'Set what a tool can do at most' })
  @ApiOkResponse({ type: ToolChangeView })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ChangeTool,
  ): Promise<ToolChangeView> {
    return this.effects.ofTool(caller, await this.tools.grade(caller, id, body));
  }

  @Put(':id/source')
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'savePythonTool', summary: 'Replace the source of a Python tool' })
  @ApiOkResponse({ type: ToolView })
  save(@Caller() caller: Principal, @Param('id') id: string, @Body() { source }: SavePythonTool): Promise<ToolView> {
    return this.python.save(caller, id, source);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'deletePythonTool', summary: 'Delete a Python tool; refused while something uses it' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.python.delete(caller, id);
  }

  @Get(':id/difference')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'getToolDifference', summary: 'What its server changed, value by value' })
  @ApiOkResponse({ type: ToolDifference })
  difference(@Caller() caller: Principal, @Param('id') id: string): Promise<ToolDifference> {
    return this.tools.difference(caller, id);
  }

  @Post(':id/approve')
  @HttpCode(200)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'approveTool', summary: 'Approve the definition that its server offers' })
  @ApiOkResponse({ type: ToolChangeView })
  async approve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { pin }: ApproveTool,
  ): Promise<ToolChangeView> {
    return this.effects.ofTool(caller, await this.tools.approve(caller, id, pin));
  }

  @Get(':id/versions')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listToolVersions', summary: 'Definitions that were in effect, newest first' })
  @ApiOkResponse({ type: ToolVersionList })
  versions(@Caller() caller: Principal, @Param('id') id: string): Promise<ToolVersionList> {
    return this.tools.versions(caller, id);
  }
}
