import { changeListenerProvider, DatabaseModule } from '#libs/database';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditController } from './audit/audit.controller.js';
import { AuditRepository } from './audit/audit.repository.js';
import { FrequentUses } from './audit/frequent-uses.js';
import { BindingRepository } from './bindings/binding.repository.js';
import { BindingService } from './bindings/binding.service.js';
import { BindingController } from './bindings/binding.controller.js';
import { ConsumerBindingController } from './bindings/consumer-binding.controller.js';
import { CredentialOpener } from './credentials/credential-opener.js';
import { CredentialController } from './credentials/credential.controller.js';
import { CredentialRepository } from './credentials/credential.repository.js';
import { CredentialService } from './credentials/credential.service.js';
import { FieldWriter } from './credentials/field-writer.js';
import { CredentialDescriber } from './credentials/credential-describer.js';
import { OwnChanges } from './credentials/own-changes.interceptor.js';
import { ResolveController } from './credentials/resolve.controller.js';
import { ResolveRepository } from './credentials/resolve.repository.js';
import { ResolveService } from './credentials/resolve.service.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionRepository } from './attention/attention.repository.js';
import { schema } from './db/schema.js';
import { KeyCounts } from './keys/key-counts.js';
import { KeyRotationController } from './keys/key-rotation.controller.js';
import { KeyController } from './keys/key.controller.js';
import { Resealer } from './keys/resealer.js';
import { RewrapRepository } from './keys/rewrap.repository.js';
import { Rewrapper } from './keys/rewrapper.js';
import { ManagedCredentialController } from './managed/managed-credential.controller.js';
import { ManagedCredentialService } from './managed/managed-credential.service.js';
import { NotificationTargetService } from './notifications/notification-target.service.js';
import { NotificationRepository } from './notifications/notification.repository.js';
import { NotificationController } from './notifications/notification.controller.js';
import { Notifier } from './notifications/notifier.js';
import { RevealController } from './reveal/reveal.controller.js';
import { oauthControllers, oauthProviders } from './oauth/oauth.providers.js';
import { DekCache } from './sealing/dek-cache.js';
import { KEY_BACKEND } from './sealing/kek-ring.js';
import { KekSentinelRepository } from './sealing/kek-sentinel.repository.js';
import { Sealer } from './sealing/sealer.js';
import { SentinelCheck } from './sealing/sentinel-check.js';
import { SETTINGS, type VaultSettings } from './settings.js';
import { ServicePolicy } from './service-policy/service-policy.js';
import { VerificationController } from './verification/verification.controller.js';
import { GATEWAY, Verifier } from './verification/verifier.js';

@Module({})
export class AppModule {
  static with(settings: VaultSettings): DynamicModule {
    const keys = settings.GATEHOUSE_KEK_RING;
    const deks = new DekCache(settings.DEK_CACHE_MS, settings.DEK_CACHE_ENTRIES);
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'credential-vault',
        }),
      ],
      controllers: [
        AttentionController,
        AuditController,
        BindingController,
        ConsumerBindingController,
        CredentialController,
        KeyRotationController,
        KeyController,
        ManagedCredentialController,
        NotificationController,
        ResolveController,
        RevealController,
        VerificationController,
        ...oauthControllers,
      ],
      providers: [
        changeListenerProvider(schema, 'credential-vault', settings),
        { provide: SETTINGS, useValue: settings },
        AttentionRepository,
        { provide: KEY_BACKEND, useValue: keys },
        { provide: Sealer, useValue: new Sealer(keys, deks) },
        { provide: ServicePolicy, useValue: new ServicePolicy(settings.SERVICE_POLICY) },
        { provide: APP_INTERCEPTOR, useClass: OwnChanges },
        {
          provide: GATEWAY,
          useFactory: (tokens: ServiceTokens) =>
            new ServiceClient('adapter-gateway', settings.GATEWAY_URL, tokens, settings.VERIFY_TIMEOUT_MS),
          inject: [ServiceTokens],
        },
        AuditRepository,
        BindingRepository,
        BindingService,
        CredentialOpener,
        CredentialRepository,
        CredentialService,
        FieldWriter,
        FrequentUses,
        KekSentinelRepository,
        KeyCounts,
        ManagedCredentialService,
        NotificationRepository,
        NotificationTargetService,
        Notifier,
        Resealer,
        ResolveRepository,
        CredentialDescriber,
        ResolveService,
        Rewrapper,
        RewrapRepository,
        SentinelCheck,
        Verifier,
        ...oauthProviders(settings),
      ],
    };
  }
}
