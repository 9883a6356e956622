import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { OriginsModule } from '../origins/origins.module.js';
import { Handshakes } from './handshakes.js';
import { InboundAttempts } from './inbound-attempts.js';
import { InboundCalls } from './inbound-calls.js';
import { InboundWaitRepository, ParsedMessagesRepository } from './inbound.repository.js';
import { InboundController } from './inbound.controller.js';
import { InboundHandler } from './inbound.handler.js';
import { InboundService } from './inbound.service.js';
import { OrphanedWaits } from './orphaned-waits.js';

@Module({
  imports: [AdaptersModule, AppsModule, DeliveriesModule, OriginsModule],
  controllers: [InboundController, InboundHandler],
  providers: [
    Handshakes,
    InboundAttempts,
    InboundCalls,
    InboundService,
    InboundWaitRepository,
    OrphanedWaits,
    ParsedMessagesRepository,
  ],
  exports: [InboundCalls, InboundService],
})
export class InboundModule {}
