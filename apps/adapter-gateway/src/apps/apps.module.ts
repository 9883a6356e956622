import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { WebhookTokensModule } from '../webhook-tokens/webhook-tokens.module.js';
import { AppBindings } from './app-bindings.js';
import { AppCredentialViews } from './app-credential-views.js';
import { AppCredentials, VaultBindings } from './app-credentials.js';
import { AppViews } from './app-views.js';
import { AppController } from './app.controller.js';
import { AppRepository } from './app.repository.js';
import { AppService } from './app.service.js';
import { CallTargets } from './call-targets.js';
import { ClosedProjectController } from './closed-project.controller.js';
import { CredentialChoice } from './credential-choice.js';
import { CredentialDescriptions } from './credential-descriptions.js';
import { CredentialWaits } from './credential-waits.js';
import { EndpointController } from './endpoint.controller.js';
import { InstalledApps } from './installed-apps.js';
import { NewestReplyRepository } from './newest-reply.repository.js';
import { RefusedCalls } from './refused-calls.js';
import { SigningKeys } from './signing-keys.js';

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
  ],
})
export class AppsModule {}
