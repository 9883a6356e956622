import { Module } from '@nestjs/common';
import { BindingsModule } from '../bindings/bindings.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { ServicePolicyModule } from '../service-policy/service-policy.module.js';
import { ManagedCredentialController } from './managed-credential.controller.js';
import { ManagedCredentialService } from './managed-credential.service.js';

@Module({
  imports: [BindingsModule, CredentialStoreModule, CredentialsModule, OauthModule, ServicePolicyModule],
  controllers: [ManagedCredentialController],
  providers: [ManagedCredentialService],
})
export class ManagedModule {}
