import { JobClient } from '#libs/queue';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { QueueDepth } from './metrics.js';
import { RequireScopes } from './principal.js';

/** DI token of the names of the queues that the service consumes. */
export const CONSUMED_QUEUES = Symbol('consumedQueues');

/** The state of one queue; null: Redis does not answer. */
export interface QueueState {
  queue: string;
  depth: QueueDepth | null;
}

/** For the portal, which joins the answers of all services: each service's Redis user can reach only its own queues. */
@ApiExcludeController()
@Controller('internal/queues')
@RequireScopes('service')
export class QueuesController {
  constructor(
    @Inject(CONSUMED_QUEUES) private readonly names: string[],
    private readonly jobs: JobClient,
  ) {}

  @Get()
  async list(): Promise<{ data: QueueState[] }> {
    const depthOf = (queue: string): Promise<QueueDepth | null> => this.jobs.depth(queue).catch(() => null);
    return { data: await Promise.all(this.names.map(async (queue) => ({ queue, depth: await depthOf(queue) }))) };
  }
}
