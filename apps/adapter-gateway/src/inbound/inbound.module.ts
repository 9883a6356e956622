import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { Handshakes } from './handshakes.js';
import { InboundAttempts } from './inbound-attempts.js';
import { InboundCalls } from './inbound-calls.js';
import { InboundWaitRepository, ParsedMessagesRepository } from './inbound.repository.js';
import { InboundController } from './inbound.controller.js';
import { InboundHandler } from './inbound.handler.js';
import { InboundService } from './inbound.service.js';
import { OrphanedWaits } from './orphaned-waits.js';
import { MessageOrigins, ProviderStatuses } from './sent-messages.js';

@Module({
  imports: [AdaptersModule, AppsModule, DeliveriesModule],
  controllers: [InboundController, InboundHandler],
  providers: [
    Handshakes,
    InboundAttempts,
    InboundCalls,
    InboundService,
    InboundWaitRepository,
    MessageOrigins,
    OrphanedWaits,
    ParsedMessagesRepository,
    ProviderStatuses,
  ],
  exports: [InboundCalls, InboundService],
})
export class InboundModule {}
