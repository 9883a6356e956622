import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AnswerCounts } from './answers/answer-counts.js';
import { schema } from './db/schema.js';
import { AppChangedHandler } from './endpoints/app-changed.handler.js';
import { EndpointRepository } from './endpoints/endpoint.repository.js';
import { EndpointsService, gatewayClient } from './endpoints/endpoints.service.js';
import type { IngressSettings } from './env.js';
import { Dispatcher, dispatcherSettings } from './receipts/dispatcher.js';
import { publicAddress, publicAddressOf } from './receipts/parse-job.js';
import { ProjectRetention } from './receipts/project-retention.repository.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { ReceiptWriter, receiptWriterSettings } from './receipts/receipt-writer.js';
import { ReceiptsController } from './receipts/receipts.controller.js';
import { receiptSettings, ReceiptsService } from './receipts/receipts.service.js';
import { StaleReceipts, staleReceiptSettings } from './receipts/stale-receipts.js';
import { RefusalLog } from './refusals/refusal.repository.js';
import { RefusalsController } from './refusals/refusals.controller.js';
import { BuiltinPayload, builtinSettings, routerClient } from './webhook/builtin-payload.js';
import { Handshakes, handshakeSettings } from './webhook/handshakes.js';
import { Secrets, vaultClient } from './webhook/secrets.js';
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
      controllers: [ProjectLimitsController, AppChangedHandler, ReceiptsController, RefusalsController],
      providers: [
        projectLimitsProvider('ingress'),
        client(gatewayClient, 'adapter-gateway', settings.GATEWAY_URL),
        client(vaultClient, 'credential-vault', settings.VAULT_URL),
        client(routerClient, 'router', settings.ROUTER_URL),
        {
          provide: receiptWriterSettings,
          useValue: {
            databaseUrl: settings.DATABASE_URL,
            batch: settings.RECEIPT_BATCH,
            // The other half is for what lies between the check and the transaction's start, and for clocks that differ.
            waitMs: settings.RECEIPT_LEASE_MS / 2,
          },
        },
        {
          provide: receiptSettings,
          useValue: { retentionDays: settings.RETENTION_DAYS },
        },
        { provide: staleReceiptSettings, useValue: { leaseMs: settings.RECEIPT_LEASE_MS } },
        journalProvider('webhook-ingress'),
        {
          provide: dispatcherSettings,
          useValue: {
            inlineLimitBytes: settings.INLINE_LIMIT_BYTES,
            maxWaitingJobs: settings.MAX_WAITING_JOBS,
            projectAdvance: settings.PROJECT_ADVANCE,
            projectRate: settings.PROJECT_MESSAGES_PER_SECOND,
            projectMaxWaiting: settings.PROJECT_MAX_WAITING,
          },
        },
        { provide: publicAddress, useValue: publicAddressOf(settings.PUBLIC_URL) },
        {
          provide: handshakeSettings,
          useValue: { timeoutMs: settings.HANDSHAKE_TIMEOUT_MS, maxBodyBytes: settings.HANDSHAKE_MAX_BODY_BYTES },
        },
        { provide: builtinSettings, useValue: { maxDepth: settings.MESSAGE_MAX_DEPTH } },
        AnswerCounts,
        EndpointRepository,
        EndpointsService,
        ReceiptRepository,
        ReceiptWriter,
        Dispatcher,
        StaleReceipts,
        ReceiptsService,
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
