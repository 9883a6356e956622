import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { Dispatcher } from './dispatcher.js';
import { IngressRetention, ProjectRetention } from './retention.repository.js';
import { StaleReceiptRepository } from './stale-receipt.repository.js';
import { LateWriter, ReceiptWriter } from './receipt-writer.js';
import { PublicAddress } from './receipt-job.js';
import { ReceiptHold } from './receipt-hold.js';
import { ReceiptController } from './receipt.controller.js';
import { ReceiptRepository } from './receipt.repository.js';
import { ReceiptService } from './receipt.service.js';
import { Spool } from './spool.js';
import { StaleReceipts } from './stale-receipts.js';

@Module({
  imports: [EndpointsModule],
  controllers: [ReceiptController],
  providers: [
    Dispatcher,
    IngressRetention,
    LateWriter,
    ProjectRetention,
    PublicAddress,
    ReceiptHold,
    ReceiptRepository,
    ReceiptService,
    ReceiptWriter,
    Spool,
    StaleReceiptRepository,
    StaleReceipts,
  ],
  exports: [Dispatcher, PublicAddress, ReceiptHold, ReceiptWriter, Spool],
})
export class ReceiptsModule {}
