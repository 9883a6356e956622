import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { BuiltinPayload } from './builtin-payload.js';
import { FetchedRequestController } from './fetched-request.controller.js';
import { Handshakes } from './handshakes.js';
import { Secrets } from './verify-signature.js';
import { WebhookService } from './webhook.service.js';

@Module({
  imports: [EndpointsModule, ReceiptsModule],
  controllers: [FetchedRequestController],
  providers: [BuiltinPayload, Handshakes, Secrets, WebhookService],
})
export class WebhookModule {}
