import { type DynamicModule, Module } from '@nestjs/common';
import { AdapterCallsModule } from './adapter-calls/adapter-calls.module.js';
import { AdapterHealthModule } from './adapter-health/adapter-health.module.js';
import { AdaptersModule } from './adapters/adapters.module.js';
import { AppsModule } from './apps/apps.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { ConformanceModule } from './conformance/conformance.module.js';
import { CoreModule } from './core.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { DiagnosisModule } from './diagnosis/diagnosis.module.js';
import type { GatewaySettings } from './env.js';
import { HeldConnectionsModule } from './held-connections/held-connections.module.js';
import { InboundModule } from './inbound/inbound.module.js';
import { ListingsModule } from './listings/listings.module.js';
import { MissedModule } from './missed/missed.module.js';
import { RegistrationModule } from './registration/registration.module.js';
import { SamplesModule } from './samples/samples.module.js';
import { SourcesModule } from './sources/sources.module.js';
import { VerificationModule } from './verification/verification.module.js';
import { WebChatModule } from './web-chat/web-chat.module.js';
import { WebhookRenewalsModule } from './webhook-renewals/webhook-renewals.module.js';
import { WebhookTokensModule } from './webhook-tokens/webhook-tokens.module.js';

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
        DiagnosisModule,
        InboundModule,
        WebhookTokensModule,
      ],
    };
  }
}
