import type { McpCallAnswer, McpCallProgress } from '#libs/contracts';
import { Caller, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PassThrough } from 'node:stream';
import { ToolCallService } from './tool-call.service.js';
import { CallTool, CallOfToolPage } from './tool-call.dto.js';

const lines = 'application/x-ndjson';

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
  async call(
    @Caller() caller: Principal,
    @Body() body: CallTool,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<McpCallAnswer | StreamableFile> {
    const hangUp = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) hangUp.abort();
    });
    if (!accept?.includes(lines)) return this.calls.call(caller, body, hangUp.signal);
    const stream = new PassThrough();
    const first = Promise.withResolvers<'progress'>();
    const answer = this.calls.call(caller, body, hangUp.signal, (progress) => {
      stream.write(`${JSON.stringify({ progress } satisfies McpCallProgress)}\n`);
      first.resolve('progress');
    });
    const which = await Promise.race([answer, first.promise]);
    if (which !== 'progress') return which;
    answer.then(
      (last) => stream.end(JSON.stringify(last)),
      (error: Error) => stream.destroy(error),
    );
    return new StreamableFile(stream, { type: lines });
  }

  @Get('api/v1/tools/:id/calls')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listCallsOfTool', summary: 'Calls of a tool, newest first' })
  @ApiOkResponse({ type: CallOfToolPage })
  list(@Caller() caller: Principal, @Param('id') id: string, @Query() query: PageQuery): Promise<CallOfToolPage> {
    return this.calls.list(caller, id, query);
  }
}
