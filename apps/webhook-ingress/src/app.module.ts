import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AnswerCounts } from './answers/answer-counts.js';
import { schema } from './db/schema.js';
import { AppChangedHandler } from './endpoints/app-changed.handler.js';
import { EndpointRepository } from './endpoints/endpoint.repository.js';
import { EndpointService } from './endpoints/endpoint.service.js';
import type { IngressSettings } from './env.js';
import { Dispatcher } from './receipts/dispatcher.js';
import { ProjectRetention } from './receipts/project-retention.repository.js';
import { PublicAddress } from './receipts/public-address.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { ReceiptWriter } from './receipts/receipt-writer.js';
import { ReceiptController } from './receipts/receipt.controller.js';
import { ReceiptService } from './receipts/receipt.service.js';
import { StaleReceipts } from './receipts/stale-receipts.js';
import { RefusalLog } from './refusals/refusal.repository.js';
import { RefusalController } from './refusals/refusal.controller.js';
import { GATEWAY, ROUTER, VAULT } from './services.js';
import { SETTINGS } from './settings.js';
import { BuiltinPayload } from './webhook/builtin-payload.js';
import { Handshakes } from './webhook/handshakes.js';
import { Secrets } from './webhook/secrets.js';
import { WebhookService } from './webhook/webhook.service.js';

@Module({})
export class AppModule {
  static with(settings: IngressSettings): DynamicModule {
    const client = (token: symbol, audience: 'adapter-gateway' | 'credential-vault' | 'router', url: string) => ({
      provide: token,
      useFactory: (tokens: ServiceTokens) => new ServiceClient(audience, url, tokens),
      inject: [ServiceTokens],
    });
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'webhook-ingress',
          provesLife: true,
        }),
      ],
      controllers: [ProjectLimitsController, AppChangedHandler, ReceiptController, RefusalController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        projectLimitsProvider('ingress'),
        client(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL),
        client(VAULT, 'credential-vault', settings.VAULT_URL),
        client(ROUTER, 'router', settings.ROUTER_URL),
        journalProvider('webhook-ingress'),
        PublicAddress,
        AnswerCounts,
        EndpointRepository,
        EndpointService,
        ReceiptRepository,
        ReceiptWriter,
        Dispatcher,
        StaleReceipts,
        ReceiptService,
        ProjectRetention,
        RefusalLog,
        BuiltinPayload,
        Handshakes,
        Secrets,
        WebhookService,
      ],
    };
  }
}
