import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AnswerCounts } from './answers/answer-counts.js';
import { schema } from './db/schema.js';
import { AppChangedHandler } from './endpoints/app-changed.handler.js';
import { EndpointRepository } from './endpoints/endpoint.repository.js';
import { EndpointService, GATEWAY } from './endpoints/endpoint.service.js';
import type { IngressSettings } from './env.js';
import { Dispatcher, DISPATCHER_SETTINGS } from './receipts/dispatcher.js';
import { PUBLIC_ADDRESS, publicAddressOf } from './receipts/parse-job.js';
import { ProjectRetention } from './receipts/project-retention.repository.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { ReceiptWriter, RECEIPT_WRITER_SETTINGS } from './receipts/receipt-writer.js';
import { ReceiptController } from './receipts/receipt.controller.js';
import { RECEIPT_SETTINGS, ReceiptService } from './receipts/receipt.service.js';
import { StaleReceipts, STALE_RECEIPT_SETTINGS } from './receipts/stale-receipts.js';
import { RefusalLog } from './refusals/refusal.repository.js';
import { RefusalController } from './refusals/refusal.controller.js';
import { BuiltinPayload, BUILTIN_SETTINGS, ROUTER } from './webhook/builtin-payload.js';
import { Handshakes, HANDSHAKE_SETTINGS } from './webhook/handshakes.js';
import { Secrets, VAULT } from './webhook/secrets.js';
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
        projectLimitsProvider('ingress'),
        client(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL),
        client(VAULT, 'credential-vault', settings.VAULT_URL),
        client(ROUTER, 'router', settings.ROUTER_URL),
        {
          provide: RECEIPT_WRITER_SETTINGS,
          useValue: {
            databaseUrl: settings.DATABASE_URL,
            batch: settings.RECEIPT_BATCH,
            // The other half is for what lies between the check and the transaction's start, and for clocks that differ.
            waitMs: settings.RECEIPT_LEASE_MS / 2,
          },
        },
        {
          provide: RECEIPT_SETTINGS,
          useValue: { retentionDays: settings.RETENTION_DAYS },
        },
        { provide: STALE_RECEIPT_SETTINGS, useValue: { leaseMs: settings.RECEIPT_LEASE_MS } },
        journalProvider('webhook-ingress'),
        {
          provide: DISPATCHER_SETTINGS,
          useValue: {
            inlineLimitBytes: settings.INLINE_LIMIT_BYTES,
            maxWaitingJobs: settings.MAX_WAITING_JOBS,
            projectAdvance: settings.PROJECT_ADVANCE,
            projectRate: settings.PROJECT_MESSAGES_PER_SECOND,
            projectMaxWaiting: settings.PROJECT_MAX_WAITING,
          },
        },
        { provide: PUBLIC_ADDRESS, useValue: publicAddressOf(settings.PUBLIC_URL) },
        {
          provide: HANDSHAKE_SETTINGS,
          useValue: { timeoutMs: settings.HANDSHAKE_TIMEOUT_MS, maxBodyBytes: settings.HANDSHAKE_MAX_BODY_BYTES },
        },
        { provide: BUILTIN_SETTINGS, useValue: { maxDepth: settings.MESSAGE_MAX_DEPTH } },
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
