import { laggingPage, SaysBehind } from '#libs/list-reads';
import {
  Caller,
  Flag,
  IdempotencyKey,
  OneOf,
  OrderedQuery,
  type Principal,
  RequireScopes,
  TakesIdempotencyKey,
  Whole,
} from '#libs/service-kit';
import { RunDetailView, RunPage, runStates, RunView } from '#libs/views';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { RunDetailService } from './run-detail.service.js';
import { RunRepository } from './run.repository.js';
import { RunService } from './run.service.js';

class RunQuery extends OrderedQuery {
  @Type(() => Number) @Whole(1, 2_147_483_647, { optional: true }) workflow_id?: number;
  @OneOf(runStates, { optional: true }) state?: string;
}

class RunReplay {
  @Flag({ optional: true, description: 'true: send replies and make all calls again; false (default): a rehearsal' })
  deliver?: boolean;
}

@ApiTags('runs')
@Controller('api/v1/runs')
export class RunController {
  constructor(
    private readonly runs: RunRepository,
    private readonly service: RunService,
    private readonly details: RunDetailService,
  ) {}

  @Get()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listRuns', summary: 'Runs' })
  @ApiOkResponse({ type: RunPage })
  @SaysBehind()
  async list(@Caller() caller: Principal, @Query() query: RunQuery): Promise<RunPage> {
    const rows = await this.runs.list(caller, {
      workflowId: query.workflow_id ?? null,
      state: query.state ?? null,
      cursor: query.cursor ?? null,
      order: query.order,
      limit: query.limit + 1,
    });
    return laggingPage(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'getRun', summary: 'Read a run with its turns, its reply and its deliveries' })
  @ApiOkResponse({ type: RunDetailView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<RunDetailView> {
    return this.details.of(caller, await this.service.get(caller, id));
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @RequireScopes('workflows:write')
  @ApiOperation({
    operationId: 'cancelRun',
    summary: 'Cancel a run; if it is running, it ends once it has stopped',
  })
  @ApiAcceptedResponse({ type: RunView })
  cancel(@Caller() caller: Principal, @Param('id') id: string): Promise<RunView> {
    return this.service.cancel(caller, id);
  }

  @Post(':id/retry')
  @HttpCode(202)
  @RequireScopes('workflows:write')
  @TakesIdempotencyKey('The same key retries it once and returns its current state')
  @ApiOperation({ operationId: 'retryRun', summary: 'Retry a failed run with the same input' })
  @ApiAcceptedResponse({ type: RunView })
  retry(@Caller() caller: Principal, @Param('id') id: string, @IdempotencyKey() key: string | null): Promise<RunView> {
    return this.service.retry(caller, id, key);
  }

  @Post(':id/replay')
  @HttpCode(202)
  @RequireScopes('workflows:write')
  @TakesIdempotencyKey('The same key returns the same run')
  @ApiOperation({ operationId: 'replayRun', summary: "Make a new run of the same message by today's configuration" })
  @ApiAcceptedResponse({ type: RunView })
  replay(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RunReplay,
    @IdempotencyKey() key: string | null,
  ): Promise<RunView> {
    return this.service.replay(caller, id, body.deliver ?? false, key);
  }
}
