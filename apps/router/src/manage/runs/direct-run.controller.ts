import { type TextFrom, textSources } from '#libs/contracts';
import {
  Caller,
  IdempotencyKey,
  JsonObject,
  OneOf,
  type Principal,
  RequireScopes,
  RowNumberPipe,
  TakesIdempotencyKey,
  Text,
  Whole,
} from '#libs/service-kit';
import { Body, Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RunDetailView } from '#libs/views';
import { Type } from 'class-transformer';
import type { FastifyReply } from 'fastify';
import { DirectRunService } from './direct-run.service.js';

class NewRun {
  @Text(100_000, { optional: true, description: 'Input of the run' }) message?: string;
  @Text(200, { optional: true, minLength: 1, description: 'Default api_call' }) event_type?: string;
  @JsonObject({ optional: true }) metadata?: Record<string, unknown>;
  @OneOf(textSources, {
    optional: true,
    description:
      'Who wrote that: `system`, the caller (default), or `people` whose words it passes on. What a run does on those is limited as for any untrusted content',
  })
  text_from?: TextFrom;
}

class Wait {
  @Type(() => Number)
  @Whole(0, 300, { optional: true, description: 'Seconds to wait for the run to end, up to the limit of the server' })
  wait?: number;
}

@ApiTags('workflows')
@Controller('api/v1/workflows')
export class DirectRunController {
  constructor(private readonly runs: DirectRunService) {}

  @Post(':id/runs')
  @HttpCode(202)
  @RequireScopes('workflows:write')
  @TakesIdempotencyKey('The same key returns the same run')
  @ApiOperation({ operationId: 'startRun', summary: 'Run a workflow; with ?wait=, answers 200 if it ended in time' })
  @ApiOkResponse({ type: RunDetailView, description: 'The run ended while the caller waited' })
  @ApiAcceptedResponse({ type: RunDetailView, description: 'The run continues' })
  async start(
    @Caller() caller: Principal,
    @Param('id', new RowNumberPipe('workflow')) id: number,
    @Body() body: NewRun,
    @Query() { wait }: Wait,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunDetailView> {
    const { runId, repeated } = await this.runs.start(
      caller,
      id,
      {
        message: body.message ?? '',
        ...(body.event_type ? { event_type: body.event_type } : {}),
        ...(body.metadata ? { metadata: body.metadata } : {}),
      },
      body.text_from ?? 'system',
      key,
    );
    const settled = await this.runs.settled(caller, runId, wait ?? 0);
    if (repeated) void reply.header('idempotency-replayed', 'true');
    if (settled.finished_at !== null) void reply.status(200);
    return settled;
  }
}
