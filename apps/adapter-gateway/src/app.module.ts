import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { AuditController, auditProvider } from '#libs/audit';
import { changeListenerProvider, DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { journalProvider } from '#libs/journal';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { AdapterCallController } from './adapter-calls/adapter-call.controller.js';
import { AdapterCallService } from './adapter-calls/adapter-call.service.js';
import { Outbox } from './adapter-calls/outbox.js';
import { AdapterChangeRepository } from './registration/adapter-change.repository.js';
import { AdapterChangeService } from './registration/adapter-change.service.js';
import { VerifyCalls } from './adapter-calls/verify-calls.js';
import { AdapterClient } from './adapters/adapter-client.js';
import { AdapterRepository } from './adapters/adapter.repository.js';
import { AdapterController } from './registration/adapter.controller.js';
import { AdapterService } from './registration/adapter.service.js';
import { HealthPoller } from './adapters/health-poller.js';
import { HealthProbe } from './adapters/health.js';
import { ManifestFetch } from './adapters/manifest-fetch.js';
import { ManifestVersionRepository } from './registration/manifest-version.repository.js';
import { OAuthProviderController } from './adapters/oauth-provider.controller.js';
import { SkillAnnouncer } from './adapters/skill-announcer.js';
import { SkillNewsRepository } from './adapters/skill-news.repository.js';
import { ViolationLog } from './adapters/violation-log.js';
import { AdapterHealthController } from './adapter-health/adapter-health.controller.js';
import { AdapterHealthRepository } from './adapter-health/adapter-health.repository.js';
import { AdapterHealthSweep } from './adapter-health/adapter-health-sweep.js';
import { ConformanceController } from './conformance/conformance.controller.js';
import { ConformanceRunRepository } from './conformance/conformance-run.repository.js';
import { ConformanceService } from './conformance/conformance.service.js';
import { AppBindings } from './apps/app-bindings.js';
import { AppCredentialViews } from './apps/app-credential-views.js';
import { AppCredentials } from './apps/app-credentials.js';
import { AppVerificationController } from './verification/app-verification.controller.js';
import { AppVerification } from './verification/app-verification.js';
import { AppViews } from './apps/app-views.js';
import { AppRepository } from './apps/app.repository.js';
import { AppController } from './apps/app.controller.js';
import { AppService } from './apps/app.service.js';
import { TokenSeal } from './webhook-tokens/token-seal.js';
import { CallTargets } from './apps/call-targets.js';
import { CredentialChoice } from './apps/credential-choice.js';
import { CredentialDescriptions } from './apps/credential-descriptions.js';
import { ClosedProjectController } from './apps/closed-project.controller.js';
import { EndpointController } from './apps/endpoint.controller.js';
import { InstalledApps } from './apps/installed-apps.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionRepository } from './attention/attention.repository.js';
import { AttentionService } from './attention/attention.service.js';
import { EGRESS, ENGINE, INGRESS, REGISTRY, VAULT } from './clients.js';
import { schema } from './db/schema.js';
import { GatewayDiagnosis } from './diagnosis/gateway-diagnosis.js';
import { AddressPace } from './deliveries/address-pace.js';
import { OutgoingMessages } from './deliveries/outgoing-messages.js';
import { AddressPaceRepository } from './deliveries/address-pace.repository.js';
import { Deliverer } from './deliveries/deliver.js';
import { DeliveryController } from './deliveries/delivery.controller.js';
import { DeliveryHandler } from './deliveries/delivery.handler.js';
import { DeliveryService } from './deliveries/delivery.service.js';
import { DeliveryLeases } from './deliveries/delivery-leases.js';
import { DeliveryMarking } from './deliveries/delivery-marking.js';
import { DeliveryResumption } from './deliveries/delivery-resumption.js';
import { DeliveryRedrive } from './deliveries/delivery-redrive.js';
import { DeliveryPartRepository } from './deliveries/delivery-part.repository.js';
import { DeliveryRepository } from './deliveries/delivery.repository.js';
import { InternalDeliveryController } from './deliveries/internal-delivery.controller.js';
import type { GatewaySettings } from './env.js';
import { Handshakes } from './inbound/handshakes.js';
import { InboundAttempts } from './inbound/inbound-attempts.js';
import { InboundWaitRepository } from './inbound/inbound-wait.repository.js';
import { InboundCalls } from './inbound/inbound-calls.js';
import { InboundController } from './inbound/inbound.controller.js';
import { InboundHandler } from './inbound/inbound.handler.js';
import { InboundService } from './inbound/inbound.service.js';
import { OrphanedWaits } from './inbound/orphaned-waits.js';
import { ParsedMessagesRepository } from './inbound/parsed-messages.repository.js';
import { ListingController } from './listings/listing.controller.js';
import { ListingService } from './listings/listing.service.js';
import { SampleBodies } from './samples/sample-bodies.js';
import { SampleEndpoints } from './samples/sample-endpoint.js';
import { SampleController } from './samples/sample.controller.js';
import { SampleService } from './samples/sample.service.js';
import { WebhookRequests } from './samples/webhook-requests.js';
import { AdapterChecks } from './verification/adapter-checks.js';
import { Checklist } from './verification/checklist.js';
import { EndpointChecks } from './verification/endpoint-checks.js';
import { HandshakeCheck } from './verification/handshake-check.js';
import { SETTINGS } from './settings.js';
import { KnowledgeFeed } from './sources/knowledge-feed.js';
import { KnowledgeFeedRepository } from './sources/knowledge-feed.repository.js';
import { SourceAdapter } from './sources/source-adapter.js';
import { MessageOrigins } from './origins/message-origins.js';
import { SourceDocumentRepository } from './sources/source-document.repository.js';
import { SourceDocumentController } from './sources/source-document.controller.js';
import { SourceHints } from './sources/source-hints.js';
import { SourceSyncHandler } from './sources/source-sync.handler.js';
import { SourceSyncs } from './sources/source-syncs.js';
import { SourceRepository } from './sources/source.repository.js';
import { SourceController } from './sources/source.controller.js';
import { SourceService } from './sources/source.service.js';
import { SyncProgressRepository } from './sources/sync-progress.repository.js';
import { SyncRunRepository } from './sources/sync-run.repository.js';
import { Syncer } from './sources/syncer.js';
import { WebhookRenewalRepository } from './webhook-renewals/webhook-renewal.repository.js';
import { WebhookRenewalController } from './webhook-renewals/webhook-renewal.controller.js';
import { WebhookRenewer } from './webhook-renewals/webhook-renewer.js';

@Module({})
export class AppModule {
  static with(settings: GatewaySettings): DynamicModule {
    const client = (token: symbol, audience: Audience, url: string): FactoryProvider => ({
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
          applicationName: 'adapter-gateway',
          provesLife: true,
        }),
      ],
      controllers: [
        ProjectLimitsController,
        AttentionController,
        AdapterCallController,
        AdapterHealthController,
        AdapterController,
        AppController,
        AppVerificationController,
        ConformanceController,
        AuditController,
        DeliveryController,
        DeliveryHandler,
        InternalDeliveryController,
        ClosedProjectController,
        EndpointController,
        InboundController,
        InboundHandler,
        ListingController,
        SampleController,
        OAuthProviderController,
        SourceDocumentController,
        SourceController,
        SourceSyncHandler,
        WebhookRenewalController,
      ],
      providers: [
        projectLimitsProvider('gateway'),
        changeListenerProvider(schema, 'adapter-gateway', settings),
        AttentionRepository,
        AttentionService,
        GatewayDiagnosis,
        { provide: SETTINGS, useValue: settings },
        {
          provide: EGRESS,
          useFactory: () =>
            createEgress({
              allow: settings.GATEHOUSE_EGRESS_ALLOW,
              connectionsPerOrigin: settings.ADAPTER_CONNECTIONS,
            }),
        },
        client(INGRESS, 'webhook-ingress', settings.INGRESS_URL),
        client(VAULT, 'credential-vault', settings.VAULT_URL),
        client(ENGINE, 'engine', settings.ENGINE_URL),
        client(REGISTRY, 'mcp-registry', settings.MCP_REGISTRY_URL),
        journalProvider('adapter-gateway'),
        auditProvider('gateway'),
        AdapterCallService,
        AdapterChangeRepository,
        AdapterChangeService,
        AdapterClient,
        AdapterRepository,
        AdapterService,
        AddressPace,
        AddressPaceRepository,
        AppBindings,
        AppCredentials,
        AppCredentialViews,
        AppRepository,
        { provide: TokenSeal, useValue: new TokenSeal(settings.GATEHOUSE_WEBHOOK_KEY) },
        AppService,
        AdapterChecks,
        AdapterHealthRepository,
        AdapterHealthSweep,
        ConformanceRunRepository,
        ConformanceService,
        AppVerification,
        Checklist,
        EndpointChecks,
        HandshakeCheck,
        SampleBodies,
        SampleEndpoints,
        SampleService,
        WebhookRequests,
        AppViews,
        CallTargets,
        CredentialChoice,
        CredentialDescriptions,
        Deliverer,
        DeliveryService,
        DeliveryLeases,
        DeliveryMarking,
        DeliveryRedrive,
        DeliveryPartRepository,
        DeliveryRepository,
        OutgoingMessages,
        DeliveryResumption,
        Handshakes,
        HealthPoller,
        HealthProbe,
        InboundAttempts,
        InboundCalls,
        InboundService,
        InboundWaitRepository,
        InstalledApps,
        KnowledgeFeed,
        KnowledgeFeedRepository,
        ListingService,
        ManifestFetch,
        ManifestVersionRepository,
        OrphanedWaits,
        Outbox,
        MessageOrigins,
        ParsedMessagesRepository,
        SkillAnnouncer,
        SkillNewsRepository,
        SourceAdapter,
        SourceDocumentRepository,
        SourceHints,
        SourceRepository,
        SourceService,
        SourceSyncs,
        Syncer,
        SyncProgressRepository,
        SyncRunRepository,
        VerifyCalls,
        ViolationLog,
        WebhookRenewalRepository,
        WebhookRenewer,
      ],
    };
  }
}
