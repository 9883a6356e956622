import { type DynamicModule, Module } from '@nestjs/common';
import { ArrivalsModule } from './arrivals/arrivals.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BindingsModule } from './bindings/bindings.module.js';
import { CoreModule } from './core.module.js';
import { CredentialStoreModule } from './credential-store/credential-store.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { GrantsModule } from './grants/grants.module.js';
import { KeyChecksModule } from './key-checks/key-checks.module.js';
import { KeysModule } from './keys/keys.module.js';
import { ManagedModule } from './managed/managed.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { OauthFlowsModule } from './oauth-flows/oauth-flows.module.js';
import { OauthProvidersModule } from './oauth-providers/oauth-providers.module.js';
import { OauthModule } from './oauth/oauth.module.js';
import { ResolveModule } from './resolve/resolve.module.js';
import { RevealModule } from './reveal/reveal.module.js';
import { SealingModule } from './sealing/sealing.module.js';
import { ServicePolicyModule } from './service-policy/service-policy.module.js';
import type { VaultSettings } from './settings.js';
import { VerificationModule } from './verification/verification.module.js';

@Module({})
export class AppModule {
  static with(settings: VaultSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The API is described in this order.
        AttentionModule,
        AuditModule,
        BindingsModule,
        CredentialsModule,
        KeyChecksModule,
        KeysModule,
        ManagedModule,
        NotificationsModule,
        ResolveModule,
        RevealModule,
        VerificationModule,
        OauthModule,
        GrantsModule,
        CredentialStoreModule,
        OauthFlowsModule,
        OauthProvidersModule,
        SealingModule,
        ArrivalsModule,
        ServicePolicyModule,
      ],
    };
  }
}
