import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { RefusalsModule } from '../refusals/refusals.module.js';
import { Dispatcher } from './dispatcher.js';
import { ProjectRetention } from './project-retention.repository.js';
import { LateWriter } from './late-writer.js';
import { PublicAddress } from './public-address.js';
import { ReceiptHold } from './receipt-hold.js';
import { ReceiptWriter } from './receipt-writer.js';
import { ReceiptController } from './receipt.controller.js';
import { ReceiptRepository } from './receipt.repository.js';
import { ReceiptService } from './receipt.service.js';
import { Spool } from './spool.js';
import { StaleReceipts } from './stale-receipts.js';

@Module({
  imports: [EndpointsModule, RefusalsModule],
  controllers: [ReceiptController],
  providers: [
    Dispatcher,
    LateWriter,
    ProjectRetention,
    PublicAddress,
    ReceiptHold,
    ReceiptRepository,
    ReceiptService,
    ReceiptWriter,
    Spool,
    StaleReceipts,
  ],
  exports: [Dispatcher, PublicAddress, ReceiptHold, ReceiptWriter, Spool],
})
export class ReceiptsModule {}
