import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { RoutingModule } from '../../path/routing/routing.module.js';
import { ChannelController } from './channel.controller.js';
import { ChannelRepository } from './channel.repository.js';
import { NamedApps } from './named-apps.js';

@Module({
  imports: [AgentsModule, RoutingModule],
  controllers: [ChannelController],
  providers: [ChannelRepository, NamedApps],
  exports: [NamedApps],
})
export class ChannelsModule {}
