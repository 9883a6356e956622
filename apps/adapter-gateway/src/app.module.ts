import { ProjectRowsController, projectRowsProvider, ROW_PASSAGE } from '#libs/project-rows';
import { type DynamicModule, Module } from '@nestjs/common';
import { AdapterCallsModule } from './manage/adapter-calls/adapter-calls.module.js';
import { AdapterHealthModule } from './manage/adapter-health/adapter-health.module.js';
import { AdaptersModule } from './adapters.module.js';
import { AppsModule } from './apps.module.js';
import { AttentionModule } from './manage/attention/attention.module.js';
import { ConformanceModule } from './manage/conformance/conformance.module.js';
import { CoreModule } from './core.module.js';
import { DeliveriesModule } from './deliveries.module.js';
import { movedRows } from './db/moved-rows.js';
import type { GatewaySettings } from './env.js';
import { GatewayDiagnosis } from './manage/diagnosis/gateway-diagnosis.js';
import { ErasureController } from './manage/erasures/erasure.controller.js';
import { ErasureRepository } from './manage/erasures/erasure.repository.js';
import { HeldConnectionsModule } from './held-connections/held-connections.module.js';
import { InboundModule } from './inbound.module.js';
import { ListingsModule } from './manage/listings/listings.module.js';
import { MissedModule } from './missed/missed.module.js';
import { OwnValues } from './manage/moves/own-values.js';
import { RegistrationModule } from './manage/registration/registration.module.js';
import { GatewayRetention, RetentionRepository } from './manage/retention/retention.repository.js';
import { SamplesModule } from './manage/samples/samples.module.js';
import { SourcesModule } from './sources/sources.module.js';
import { VerificationModule } from './manage/verification/verification.module.js';
import { WebChatModule } from './web-chat/web-chat.module.js';
import { WebhookRenewalsModule } from './webhook-renewals/webhook-renewals.module.js';
import { WebhookTokensModule } from './manage/webhook-tokens/webhook-tokens.module.js';

@Module({})
export class AppModule {
  static with(settings: GatewaySettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The API description follows this order.
        AdapterCallsModule,
        AdapterHealthModule,
        RegistrationModule,
        AppsModule,
        VerificationModule,
        ConformanceModule,
        DeliveriesModule,
        ListingsModule,
        SamplesModule,
        AdaptersModule,
        SourcesModule,
        WebhookRenewalsModule,
        MissedModule,
        HeldConnectionsModule,
        WebChatModule,
        AttentionModule,
        InboundModule,
        WebhookTokensModule,
      ],
      controllers: [ErasureController, ProjectRowsController],
      providers: [
        ErasureRepository,
        GatewayDiagnosis,
        GatewayRetention,
        projectRowsProvider(movedRows),
        RetentionRepository,
        { provide: ROW_PASSAGE, useClass: OwnValues },
      ],
    };
  }
}
