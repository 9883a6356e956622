import type { McpCallAnswer } from '#libs/contracts';
import { Caller, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ToolCallService } from './tool-call.service.js';
import { CallTool, McpCallPage } from './tool-call.dto.js';

@ApiTags('tools')
@Controller()
export class ToolCallController {
  constructor(private readonly calls: ToolCallService) {}

  @Post('internal/tool-calls')
  @HttpCode(200)
  @RequireScopes('service')
  @ApiOperation({
    operationId: 'callTool',
    summary: 'Call a tool of an MCP server; closing the connection cancels the call',
  })
  call(
    @Caller() caller: Principal,
    @Body() body: CallTool,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<McpCallAnswer> {
    const hangUp = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) hangUp.abort();
    });
    return this.calls.call(caller, body, hangUp.signal);
  }

  @Get('api/v1/tools/:id/calls')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listMcpCalls', summary: 'Calls of a tool, newest first' })
  @ApiOkResponse({ type: McpCallPage })
  list(@Caller() caller: Principal, @Param('id') id: string, @Query() query: PageQuery): Promise<McpCallPage> {
    return this.calls.list(caller, id, query);
  }
}
