import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, HttpCode, Inject, Param, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { TryAnswer, TryTool } from '../tools/tool.dto.js';
import { ToolRehearsalView } from './tool-rehearsal.dto.js';
import { ToolRehearsalService } from './tool-rehearsal.service.js';
import { ToolTryService } from './tool-try.service.js';

const json = 'application/json; charset=utf-8';

@ApiTags('tools')
@Controller('api/v1/tools')
export class ToolTryController {
  constructor(
    private readonly tries: ToolTryService,
    private readonly rehearsals: ToolRehearsalService,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {}

  @Post(':id/try')
  @HttpCode(200)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'tryTool', summary: 'Try a tool: call an MCP or Python tool by hand' })
  @ApiOkResponse({ type: TryAnswer })
  async try(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: TryTool,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TryAnswer | StreamableFile> {
    const hangUp = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) hangUp.abort();
    });
    const answer = this.tries.run(caller, id, body, hangUp.signal);
    const early = await Promise.race([answer, pause(this.settings.TRY_SILENCE_MS, null, { ref: false })]);
    return early ?? new StreamableFile(Readable.from(spaced(answer, this.settings.TRY_SILENCE_MS)), { type: json });
  }

  @Post(':id/rehearse')
  @HttpCode(200)
  @RequireScopes('tools:read')
  @ApiOperation({
    operationId: 'rehearseTool',
    summary: 'Rehearse a tool: what a call of an MCP or Python tool would send, without sending it',
  })
  @ApiOkResponse({ type: ToolRehearsalView })
  rehearse(@Caller() caller: Principal, @Param('id') id: string, @Body() body: TryTool): Promise<ToolRehearsalView> {
    return this.rehearsals.of(caller, id, body);
  }
}

/**
 * JSON with spaces before it, one for each time that passes without an answer: proxies on the way, the portal first,
 * take silence for a service that is away.
 */
async function* spaced(answer: Promise<TryAnswer>, everyMs: number): AsyncGenerator<string> {
  for (;;) {
    yield ' ';
    const ended = await Promise.race([answer, pause(everyMs, null, { ref: false })]);
    if (ended === null) continue;
    yield JSON.stringify(ended);
    return;
  }
}
