import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { GrantsModule } from '../grants/grants.module.js';
import { ServicePolicyModule } from '../service-policy/service-policy.module.js';
import { VerificationModule } from '../verification/verification.module.js';
import { CredentialDescriber } from './credential-describer.js';
import { OwnChanges } from './own-changes.interceptor.js';
import { RefusedTokens } from './refused-tokens.js';
import { ResolveController } from './resolve.controller.js';
import { ResolveRepository } from './resolve.repository.js';
import { ResolveService } from './resolve.service.js';

@Module({
  imports: [AuditModule, CredentialStoreModule, GrantsModule, ServicePolicyModule, VerificationModule],
  controllers: [ResolveController],
  providers: [
    // Applies to the controllers of all folders.
    { provide: APP_INTERCEPTOR, useClass: OwnChanges },
    CredentialDescriber,
    RefusedTokens,
    ResolveRepository,
    ResolveService,
  ],
})
export class ResolveModule {}
