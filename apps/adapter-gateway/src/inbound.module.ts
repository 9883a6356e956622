import { Module } from '@nestjs/common';
import { AdaptersModule } from './adapters.module.js';
import { AppsModule } from './apps.module.js';
import { DeliveriesModule } from './deliveries.module.js';
import { Handshakes } from './manage/inbound/handshakes.js';
import { InboundAttempts } from './path/inbound/inbound-attempts.js';
import { InboundCalls } from './path/inbound/inbound-calls.js';
import { InboundWaitRepository, ParsedMessagesRepository } from './path/inbound/inbound.repository.js';
import { InboundController } from './manage/inbound/inbound.controller.js';
import { InboundHandler } from './path/inbound/inbound.handler.js';
import { InboundService, RepliesByMail } from './path/inbound/inbound.service.js';
import { OrphanedWaits } from './path/inbound/orphaned-waits.js';
import { WebChatMailReplies } from './web-chat/web-chat-mail-replies.js';
import { WebChatModule } from './web-chat/web-chat.module.js';
import { MessageOrigins, ProviderStatuses } from './path/inbound/sent-messages.js';

@Module({
  imports: [AdaptersModule, AppsModule, DeliveriesModule, WebChatModule],
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
    {
      provide: RepliesByMail,
      useFactory: (replies: WebChatMailReplies): RepliesByMail => replies,
      inject: [WebChatMailReplies],
    },
  ],
  exports: [InboundCalls, InboundService],
})
export class InboundModule {}
