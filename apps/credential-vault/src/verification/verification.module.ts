import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { BindingsModule } from '../bindings/bindings.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { GrantsModule } from '../grants/grants.module.js';
import { VerificationController } from './verification.controller.js';
import { Verifier } from './verifier.js';

@Module({
  imports: [AuditModule, BindingsModule, CredentialStoreModule, GrantsModule],
  controllers: [VerificationController],
  providers: [Verifier],
  exports: [Verifier],
})
export class VerificationModule {}
