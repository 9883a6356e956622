import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { GrantsModule } from '../grants/grants.module.js';
import { OauthFlowsModule } from '../oauth-flows/oauth-flows.module.js';
import { OauthProvidersModule } from '../oauth-providers/oauth-providers.module.js';
import { VerificationModule } from '../verification/verification.module.js';
import { CallbackController } from './callback.controller.js';
import { CallbackService } from './callback.service.js';
import { ClientMetadata } from './client-metadata.js';
import { ClientMetadataController } from './client-metadata.controller.js';
import { CodeAnswerService } from './code-answer.service.js';
import { CodeExchange } from './code-exchange.service.js';
import { ConnectLinkRepository } from './connect-link.repository.js';
import { ConnectController } from './connect.controller.js';
import { ConnectService } from './connect.service.js';
import { GrantSetup } from './grant-setup.service.js';
import { GrantViews } from './grant-views.js';
import { UnconfirmedAccounts } from './unconfirmed-accounts.js';

@Module({
  imports: [
    AuditModule,
    CredentialStoreModule,
    GrantsModule,
    OauthFlowsModule,
    OauthProvidersModule,
    VerificationModule,
  ],
  controllers: [ConnectController, CallbackController, ClientMetadataController],
  providers: [
    CallbackService,
    ClientMetadata,
    CodeAnswerService,
    CodeExchange,
    ConnectLinkRepository,
    ConnectService,
    GrantSetup,
    GrantViews,
    UnconfirmedAccounts,
  ],
  exports: [ClientMetadata, GrantSetup],
})
export class OauthModule {}
