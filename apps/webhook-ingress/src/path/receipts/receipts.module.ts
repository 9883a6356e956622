import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { Dispatcher } from './dispatcher.js';
import { ReceiptHold } from './receipt-hold.js';
import { PublicAddress } from './receipt-job.js';
import { LateWriter, ReceiptWriter } from './receipt-writer.js';
import { ReceiptRepository } from './receipt.repository.js';
import { ReceiptService } from './receipt.service.js';
import { Spool } from './spool.js';
import { StaleReceiptRepository } from './stale-receipt.repository.js';
import { StaleReceipts } from './stale-receipts.js';

@Module({
  imports: [EndpointsModule],
  providers: [
    Dispatcher,
    LateWriter,
    PublicAddress,
    ReceiptHold,
    ReceiptRepository,
    ReceiptService,
    ReceiptWriter,
    Spool,
    StaleReceiptRepository,
    StaleReceipts,
  ],
  exports: [
    Dispatcher,
    LateWriter,
    PublicAddress,
    ReceiptHold,
    ReceiptRepository,
    ReceiptWriter,
    Spool,
    StaleReceiptRepository,
  ],
})
export class ReceiptsModule {}
