import {
  Caller,
  IdempotencyKey,
  JsonObject,
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
  @Text(100_000, { optional: true, description: 'What the run works on' }) message?: string;
  @Text(200, { optional: true, minLength: 1, description: 'Default api_call' }) event_type?: string;
  @JsonObject({ optional: true }) metadata?: Record<string, unknown>;
}

class Wait {
  @Type(() => Number)
  @Whole(0, 300, { optional: true, description: 'Seconds to wait for the end; longer than the server allows is cut' })
  wait?: number;
}

@ApiTags('workflows')
@Controller('api/v1/workflows')
export class DirectRunController {
  constructor(private readonly runs: DirectRunService) {}

  @Post(':id/runs')
  @HttpCode(202)
  @RequireScopes('workflows:write')
  @TakesIdempotencyKey('The same key gives the same run')
  @ApiOperation({ operationId: 'startRun', summary: 'Run a workflow; answers 200 with ?wait= when it ended in time' })
  @ApiOkResponse({ type: RunDetailView, description: 'It ended while the caller waited' })
  @ApiAcceptedResponse({ type: RunDetailView, description: 'It goes on' })
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
      key,
    );
    const settled = await this.runs.settled(caller, runId, wait ?? 0);
    if (repeated) void reply.header('idempotency-replayed', 'true');
    if (settled.finished_at !== null) void reply.status(200);
    return settled;
  }
}
