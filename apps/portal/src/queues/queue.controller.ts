import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { QueueListView } from './queue.dto.js';
import { QueueStates } from './queue-states.js';

@ApiTags('queues')
@Controller('api/v1/queues')
export class QueueController {
  constructor(private readonly queues: QueueStates) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listQueues',
    summary: 'Number of jobs that wait in each queue, and since when the oldest waits',
    description: 'Covers the whole installation: projects share its queues.',
  })
  @ApiOkResponse({ type: QueueListView })
  list(@Caller() caller: Principal): Promise<QueueListView> {
    return this.queues.read(caller);
  }
}
