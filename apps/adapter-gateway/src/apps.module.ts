import { Module } from '@nestjs/common';
import { AdaptersModule } from './adapters.module.js';
import { WebhookTokensModule } from './manage/webhook-tokens/webhook-tokens.module.js';
import { AppBindings } from './manage/apps/app-bindings.js';
import { AppCredentialViews } from './manage/apps/app-credential-views.js';
import { AppCredentials, RefusedCalls, VaultBindings } from './path/apps/app-credentials.js';
import { AppViews } from './manage/apps/app-views.js';
import { AppController } from './manage/apps/app.controller.js';
import { AppRepository } from './manage/apps/app.repository.js';
import { AppService } from './manage/apps/app.service.js';
import { CallTargets } from './manage/apps/call-targets.js';
import { ClosedProjectController } from './manage/apps/closed-project.controller.js';
import { CredentialChoice } from './manage/apps/credential-choice.js';
import { CredentialDescriptions } from './manage/apps/credential-descriptions.js';
import { CredentialWaits } from './path/apps/credential-waits.js';
import { EndpointController } from './manage/apps/endpoint.controller.js';
import { InstalledApps } from './path/apps/installed-apps.js';
import { NewestReplyRepository } from './manage/apps/newest-reply.repository.js';
import { SigningKeys } from './manage/apps/signing-keys.js';
import { TroubledConnections } from './manage/apps/troubled-connections.js';

@Module({
  imports: [AdaptersModule, WebhookTokensModule],
  controllers: [AppController, ClosedProjectController, EndpointController],
  providers: [
    AppBindings,
    AppCredentialViews,
    AppCredentials,
    AppRepository,
    AppService,
    AppViews,
    CallTargets,
    CredentialChoice,
    CredentialDescriptions,
    CredentialWaits,
    InstalledApps,
    NewestReplyRepository,
    RefusedCalls,
    SigningKeys,
    TroubledConnections,
    { provide: VaultBindings, useExisting: AppBindings },
  ],
  exports: [
    AppBindings,
    AppCredentials,
    AppRepository,
    AppService,
    AppViews,
    CallTargets,
    CredentialWaits,
    InstalledApps,
    RefusedCalls,
    SigningKeys,
    TroubledConnections,
  ],
})
export class AppsModule {}
