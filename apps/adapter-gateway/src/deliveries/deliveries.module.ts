import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { WebChatModule } from '../web-chat/web-chat.module.js';
import { AddressPace } from './address-pace.js';
import { Deliverer } from './deliver.js';
import { DeliveryPartRepository, DeliveryRepository } from './delivery.repository.js';
import { DeliveryRepair } from './delivery-repair.js';
import { DeliveryResumption, WaitingReplies } from './waiting-replies.js';
import { DeliveryController, InternalDeliveryController } from './delivery.controller.js';
import { DeliveryHandler } from './delivery.handler.js';
import { DeliveryService } from './delivery.service.js';
import { LostAnswers } from './lost-answers.js';
import { NumberedChoices } from './numbered-choices.js';
import { OutgoingMessages } from './outgoing-messages.js';
import { ProviderStatuses } from './provider-statuses.js';
import { RefusedTokens } from './refused-token.js';

@Module({
  imports: [AdaptersModule, AppsModule, WebChatModule],
  controllers: [DeliveryController, DeliveryHandler, InternalDeliveryController],
  providers: [
    AddressPace,
    Deliverer,
    DeliveryPartRepository,
    DeliveryRepair,
    DeliveryRepository,
    DeliveryResumption,
    DeliveryService,
    LostAnswers,
    NumberedChoices,
    OutgoingMessages,
    ProviderStatuses,
    RefusedTokens,
    WaitingReplies,
  ],
  exports: [DeliveryRepository, DeliveryService, NumberedChoices, ProviderStatuses, WaitingReplies],
})
export class DeliveriesModule {}
