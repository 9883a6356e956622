import { Module } from '@nestjs/common';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { BuiltinPayload } from './builtin-payload.js';
import { Handshakes } from './handshakes.js';
import { Secrets } from './secrets.js';
import { WebhookService } from './webhook.service.js';

@Module({
  imports: [ReceiptsModule],
  providers: [BuiltinPayload, Handshakes, Secrets, WebhookService],
})
export class WebhookModule {}
