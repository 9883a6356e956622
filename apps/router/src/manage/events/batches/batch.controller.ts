import { Caller, Flag, IdempotencyKey, type Principal, RequireScopes, TakesIdempotencyKey } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags, OmitType } from '@nestjs/swagger';
import { DeadLetterFilter } from '../dead-letters/dead-letter-filter.js';
import { EventFilter } from '../event-filter.js';
import { BatchService } from './batch.service.js';
import { BatchView, BegunBatchView } from './batch.dto.js';

class ReplayMany extends OmitType(EventFilter, ['limit', 'cursor', 'order'] as const) {
  @Flag({ optional: true, description: 'true: send replies and make all calls again; false (default): a rehearsal' })
  deliver?: boolean;
}

class RedriveMany extends OmitType(DeadLetterFilter, ['limit', 'cursor', 'order', 'state'] as const) {}

const sameBatch = 'The same key returns the batch that it created';

@ApiTags('events')
@Controller('api/v1/events')
export class BatchController {
  constructor(private readonly batches: BatchService) {}

  @Post('replay')
  @HttpCode(202)
  @RequireScopes('events:write')
  @TakesIdempotencyKey(sameBatch)
  @ApiOperation({
    operationId: 'replayEvents',
    summary: "Replay the events that match a filter by today's rules, as a batch",
    description: 'The newest first, up to the limit of one batch; `more` says whether others match.',
  })
  @ApiAcceptedResponse({ type: BegunBatchView })
  replay(
    @Caller() caller: Principal,
    @Body() { deliver, ...filter }: ReplayMany,
    @IdempotencyKey() key: string | null,
  ): Promise<BegunBatchView> {
    return this.batches.replay(caller, Object.assign(new EventFilter(), filter), deliver ?? false, key);
  }

  @Post('dead-letters/redrive')
  @HttpCode(202)
  @RequireScopes('events:write')
  @TakesIdempotencyKey(sameBatch)
  @ApiOperation({
    operationId: 'redriveDeadLetters',
    summary: 'Redrive the open dead letters that match a filter, as a batch',
  })
  @ApiAcceptedResponse({ type: BegunBatchView })
  redrive(
    @Caller() caller: Principal,
    @Body() filter: RedriveMany,
    @IdempotencyKey() key: string | null,
  ): Promise<BegunBatchView> {
    return this.batches.redrive(caller, Object.assign(new DeadLetterFilter(), filter), key);
  }

  @Get('batches/:id')
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'getEventBatch', summary: 'Read the progress of a batch' })
  @ApiOkResponse({ type: BatchView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<BatchView> {
    return this.batches.progress(caller, id);
  }

  @Post('batches/:id/cancel')
  @HttpCode(200)
  @RequireScopes('events:write')
  @ApiOperation({ operationId: 'cancelEventBatch', summary: 'Cancel the items that a batch has not begun' })
  @ApiOkResponse({ type: BatchView })
  cancel(@Caller() caller: Principal, @Param('id') id: string): Promise<BatchView> {
    return this.batches.cancel(caller, id);
  }
}
