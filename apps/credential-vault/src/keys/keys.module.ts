import { Module } from '@nestjs/common';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { ServicePolicyModule } from '../service-policy/service-policy.module.js';
import { KeyCounts } from './key-counts.js';
import { KeyRotationController } from './key-rotation.controller.js';
import { KeyController } from './key.controller.js';
import { Resealer } from './resealer.js';
import { RewrapRepository } from './rewrap.repository.js';
import { Rewrapper } from './rewrapper.js';

@Module({
  imports: [CredentialStoreModule, SealingModule, ServicePolicyModule],
  controllers: [KeyController, KeyRotationController],
  providers: [KeyCounts, Resealer, RewrapRepository, Rewrapper],
})
export class KeysModule {}
