import { Caller, type Principal, type QueueState, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';
import { QueueListView, type QueueView } from './queue.dto.js';

/** Services that consume queues. */
const consumers = ['webhook-ingress', 'adapter-gateway', 'router', 'engine', 'mcp-registry'];

@ApiTags('queues')
@Controller('api/v1/queues')
export class QueueController {
  constructor(@Inject(SERVICE_CLIENTS) private readonly services: NamedClient[]) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listQueues',
    summary: 'Number of jobs that wait in each queue, and since when the oldest waits',
    description: 'Covers the whole installation: projects share its queues.',
  })
  @ApiOkResponse({ type: QueueListView })
  async list(@Caller() caller: Principal): Promise<QueueListView> {
    const asked = this.services.filter(({ service }) => consumers.includes(service));
    const told = await Promise.all(asked.map((one) => statesOf(one, caller)));
    return { data: told.flatMap(({ data }) => data), silent: told.flatMap(({ silent }) => silent) };
  }
}

async function statesOf({ service, client }: NamedClient, caller: Principal): Promise<QueueListView> {
  try {
    const { data } = await client.get<{ data: QueueState[] }>('/internal/queues', caller);
    return {
      data: data.flatMap(({ queue, depth }): QueueView[] => {
        if (!depth) return [];
        const { waiting, active, delayed, oldestMs } = depth;
        return [{ queue, service, waiting, active, delayed, oldest_ms: Math.round(oldestMs) }];
      }),
      silent: data.flatMap(({ queue, depth }) => (depth ? [] : [queue])),
    };
  } catch {
    return { data: [], silent: [service] };
  }
}
