import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { Mailbox } from '../web-chat/mailbox.js';
import { WebChatModule } from '../web-chat/web-chat.module.js';
import { AddressPace } from './address-pace.js';
import { DeliverCalls, VisitorMailbox } from './deliver-call.js';
import { Deliverer } from './deliver.js';
import { DeliveryRepair } from './delivery-repair.js';
import { DeliveryController, InternalDeliveryController } from './delivery.controller.js';
import { DeliveryHandler } from './delivery.handler.js';
import { DeliveryPartRepository, DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { ManagedDeliveryRepository } from './managed-delivery.repository.js';
import { NumberedChoices } from './message-features.js';
import { OutgoingMessages } from './outgoing-messages.js';
import { DeliveryResumption, WaitingReplies } from './waiting-replies.js';

@Module({
  imports: [AdaptersModule, AppsModule, WebChatModule],
  controllers: [DeliveryController, DeliveryHandler, InternalDeliveryController],
  providers: [
    AddressPace,
    DeliverCalls,
    Deliverer,
    DeliveryPartRepository,
    DeliveryRepair,
    DeliveryRepository,
    DeliveryResumption,
    DeliveryService,
    ManagedDeliveryRepository,
    NumberedChoices,
    OutgoingMessages,
    WaitingReplies,
    { provide: VisitorMailbox, useFactory: (mailbox: Mailbox): VisitorMailbox => mailbox, inject: [Mailbox] },
  ],
  exports: [DeliveryRepository, DeliveryService, ManagedDeliveryRepository, NumberedChoices, WaitingReplies],
})
export class DeliveriesModule {}
