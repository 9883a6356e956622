import { Module } from '@nestjs/common';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { ServicePolicyModule } from '../service-policy/service-policy.module.js';
import { KeyCheckController } from './key-check.controller.js';

@Module({
  imports: [CredentialStoreModule, ServicePolicyModule],
  controllers: [KeyCheckController],
})
export class KeyChecksModule {}
