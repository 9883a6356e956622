import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { GrantsModule } from '../grants/grants.module.js';
import { ServicePolicyModule } from '../service-policy/service-policy.module.js';
import { BindingController } from './binding.controller.js';
import { BindingRepository } from './binding.repository.js';
import { BindingService } from './binding.service.js';
import { ConsumerBindingController } from './consumer-binding.controller.js';

@Module({
  imports: [AuditModule, CredentialStoreModule, GrantsModule, ServicePolicyModule],
  controllers: [BindingController, ConsumerBindingController],
  providers: [BindingRepository, BindingService],
  exports: [BindingRepository, BindingService],
})
export class BindingsModule {}
