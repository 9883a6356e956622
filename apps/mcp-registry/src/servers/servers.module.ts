import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import { McpModule } from '../mcp/mcp.module.js';
import { Registration } from './registration.service.js';
import { ServerController } from './server.controller.js';
import { ServerRepository } from './server.repository.js';
import { ServerService } from './server.service.js';

@Module({
  imports: [AgentsModule, CredentialsModule, DiscoveryModule, McpModule],
  controllers: [ServerController],
  providers: [Registration, ServerRepository, ServerService],
  exports: [Registration, ServerRepository, ServerService],
})
export class ServersModule {}
