import { Module } from '@nestjs/common';
import { AdaptersModule } from '../../adapters.module.js';
import { AppsModule } from '../../apps.module.js';
import { DeliveriesModule } from '../../deliveries.module.js';
import { SourcesModule } from '../../sources/sources.module.js';
import { WebChatModule } from '../../web-chat/web-chat.module.js';
import { AdapterCallController } from './adapter-call.controller.js';
import { AdapterCallService } from './adapter-call.service.js';
import { Outbox } from './outbox.js';
import { VerifyCalls } from './verify-calls.js';

@Module({
  imports: [AdaptersModule, AppsModule, DeliveriesModule, SourcesModule, WebChatModule],
  controllers: [AdapterCallController],
  providers: [AdapterCallService, Outbox, VerifyCalls],
  exports: [VerifyCalls],
})
export class AdapterCallsModule {}
