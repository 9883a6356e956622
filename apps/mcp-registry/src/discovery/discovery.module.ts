import { Module } from '@nestjs/common';
import { McpModule } from '../mcp/mcp.module.js';
import { DiscoveryHandler } from './discovery.handler.js';
import { DiscoveryRepository } from './discovery.repository.js';
import { DiscoveryService } from './discovery.service.js';

@Module({
  imports: [McpModule],
  controllers: [DiscoveryHandler],
  providers: [DiscoveryRepository, DiscoveryService],
  exports: [DiscoveryService],
})
export class DiscoveryModule {}
