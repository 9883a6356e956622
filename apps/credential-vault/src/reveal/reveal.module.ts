import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { ServicePolicyModule } from '../service-policy/service-policy.module.js';
import { RevealController } from './reveal.controller.js';

@Module({
  imports: [AuditModule, CredentialStoreModule, ServicePolicyModule],
  controllers: [RevealController],
})
export class RevealModule {}
