import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { BuiltinPayload } from './builtin-payload.js';
import { FetchedEventController } from './fetched-event.controller.js';
import { Handshakes } from './handshakes.js';
import { MissedRequestController } from './missed-request.controller.js';
import { Secrets } from './secrets.js';
import { WebhookService } from './webhook.service.js';

@Module({
  imports: [EndpointsModule, ReceiptsModule],
  controllers: [FetchedEventController, MissedRequestController],
  providers: [BuiltinPayload, Handshakes, Secrets, WebhookService],
})
export class WebhookModule {}
