import { Module } from '@nestjs/common';
import { AdaptersModule } from './adapters.module.js';
import { AppsModule } from './apps.module.js';
import { Mailbox } from './web-chat/mailbox.js';
import { WebChatModule } from './web-chat/web-chat.module.js';
import { AddressPace } from './path/deliveries/address-pace.js';
import { DeliverCalls, VisitorMailbox } from './path/deliveries/deliver-call.js';
import { Deliverer } from './path/deliveries/deliver.js';
import { DeliveryRepair } from './manage/deliveries/delivery-repair.js';
import { DeliveryController, InternalDeliveryController } from './manage/deliveries/delivery.controller.js';
import { DeliveryHandler } from './path/deliveries/delivery.handler.js';
import { DeliveryPartRepository, DeliveryRepository } from './path/deliveries/delivery.repository.js';
import { DeliveryService } from './path/deliveries/delivery.service.js';
import { ManagedDeliveryRepository } from './manage/deliveries/managed-delivery.repository.js';
import { NumberedChoices } from './path/deliveries/message-features.js';
import { OutgoingMessages } from './path/deliveries/outgoing-messages.js';
import { DeliveryResumption, WaitingReplies } from './manage/deliveries/waiting-replies.js';

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
    // An alias: Nest would start and stop what a factory returns once more.
    { provide: VisitorMailbox, useExisting: Mailbox },
  ],
  exports: [DeliveryRepository, DeliveryService, ManagedDeliveryRepository, NumberedChoices, WaitingReplies],
})
export class DeliveriesModule {}
