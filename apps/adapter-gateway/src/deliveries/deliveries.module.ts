import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { AddressPace } from './address-pace.js';
import { AddressPaceRepository } from './address-pace.repository.js';
import { Deliverer } from './deliver.js';
import { DeliveryLeases } from './delivery-leases.js';
import { DeliveryMarking } from './delivery-marking.js';
import { DeliveryPartRepository } from './delivery-part.repository.js';
import { DeliveryRedrive } from './delivery-redrive.js';
import { DeliveryResumption } from './delivery-resumption.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryHandler } from './delivery.handler.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { InternalDeliveryController } from './internal-delivery.controller.js';
import { LostAnswers } from './lost-answers.js';
import { OutgoingMessages } from './outgoing-messages.js';
import { RefusedTokens } from './refused-token.js';
import { WaitingReplies } from './waiting-replies.js';
import { WaitingReplyRepository } from './waiting-reply.repository.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [DeliveryController, DeliveryHandler, InternalDeliveryController],
  providers: [
    AddressPace,
    AddressPaceRepository,
    Deliverer,
    DeliveryLeases,
    DeliveryMarking,
    DeliveryPartRepository,
    DeliveryRedrive,
    DeliveryRepository,
    DeliveryResumption,
    DeliveryService,
    LostAnswers,
    OutgoingMessages,
    RefusedTokens,
    WaitingReplies,
    WaitingReplyRepository,
  ],
  exports: [DeliveryRepository, DeliveryService, WaitingReplyRepository],
})
export class DeliveriesModule {}
