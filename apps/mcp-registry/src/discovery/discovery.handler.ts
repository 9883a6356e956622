import { type McpDiscoverPayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { DiscoveryService } from './discovery.service.js';

@Controller()
export class DiscoveryHandler {
  private readonly logger = new Logger('mcp.discover');

  constructor(private readonly discovery: DiscoveryService) {}

  @EventPattern<string>('mcp.discover')
  async handle(@Payload() job: McpDiscoverPayload): Promise<void> {
    await this.discovery.discover(job.server_id);
  }

  /** Nothing to repair: the server is discovered again at its next scheduled time. */
  @EventPattern<string>('mcp.discover.dead')
  dead(@Payload() job: DeadJob<McpDiscoverPayload>): void {
    this.logger.warn({ event: 'mcp.discover.dead', code: job.code, reason: job.reason });
  }
}
