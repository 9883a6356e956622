import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters.module.js';
import { AppsModule } from '../apps.module.js';
import { HeldConnectionController } from './held-connection.controller.js';
import { HeldConnectionRepository } from './held-connection.repository.js';
import { HeldConnections } from './held-connections.service.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [HeldConnectionController],
  providers: [HeldConnectionRepository, HeldConnections],
})
export class HeldConnectionsModule {}
