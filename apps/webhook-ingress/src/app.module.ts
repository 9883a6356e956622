import { ProjectRowsController, projectRowsProvider, ROW_PASSAGE } from '#libs/project-rows';
import { type DynamicModule, Module } from '@nestjs/common';
import { CoreModule } from './core.module.js';
import { movedRows } from './db/moved-rows.js';
import type { IngressSettings } from './env.js';
import { AttentionController } from './manage/attention/attention.controller.js';
import { ErasureController } from './manage/erasures/erasure.controller.js';
import { ErasureRepository } from './manage/erasures/erasure.repository.js';
import { HandedOnController } from './manage/moves/handed-on.controller.js';
import { HandedOnRepository } from './manage/moves/handed-on.repository.js';
import { HandedOnService } from './manage/moves/handed-on.service.js';
import { MovingRows } from './manage/moves/moving-rows.js';
import { OutageRepository } from './manage/outages/outage.repository.js';
import { OutageService } from './manage/outages/outage.service.js';
import { PackingRepository } from './manage/packing/packing.repository.js';
import { PackingService } from './manage/packing/packing.service.js';
import { ReceiptController } from './manage/receipts/receipt.controller.js';
import { RefusalListRepository } from './manage/refusals/refusal-list.repository.js';
import { RefusalController } from './manage/refusals/refusal.controller.js';
import { IngressRetention, ProjectRetention } from './manage/retention/retention.repository.js';
import { AnswerCounts } from './path/answers/answer-counts.js';
import { EndpointsModule } from './path/endpoints/endpoints.module.js';
import { ReceiptsModule } from './path/receipts/receipts.module.js';
import { RefusalsModule } from './path/refusals/refusals.module.js';
import { BuiltinPayload } from './path/webhook/builtin-payload.js';
import { FetchedRequestController } from './path/webhook/fetched-request.controller.js';
import { Handshakes } from './path/webhook/handshakes.js';
import { Secrets } from './path/webhook/verify-signature.js';
import { WebhookService } from './path/webhook/webhook.service.js';

const path = {
  // They start in this order, and stop in the other: no receipt is swept before the endpoints are known, and a receipt
  // that cannot be stored at the end is still written down as refused.
  imports: [EndpointsModule, RefusalsModule, ReceiptsModule],
  controllers: [FetchedRequestController],
  providers: [AnswerCounts, BuiltinPayload, Handshakes, Secrets, WebhookService],
};

const manage = {
  // The order in which the API is described.
  controllers: [
    AttentionController,
    ErasureController,
    HandedOnController,
    ProjectRowsController,
    ReceiptController,
    RefusalController,
  ],
  providers: [
    ErasureRepository,
    HandedOnRepository,
    HandedOnService,
    IngressRetention,
    OutageRepository,
    OutageService,
    PackingRepository,
    PackingService,
    ProjectRetention,
    projectRowsProvider(movedRows),
    { provide: ROW_PASSAGE, useClass: MovingRows },
    RefusalListRepository,
  ],
};

@Module({})
export class AppModule {
  static with(settings: IngressSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [CoreModule.with(settings), ...path.imports],
      controllers: [...manage.controllers, ...path.controllers],
      providers: [...manage.providers, ...path.providers],
    };
  }
}
