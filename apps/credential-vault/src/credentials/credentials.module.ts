import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { GrantsModule } from '../grants/grants.module.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { VerificationModule } from '../verification/verification.module.js';
import { CredentialController } from './credential.controller.js';
import { CredentialService } from './credential.service.js';
import { EndedRotations } from './ended-rotations.js';
import { FieldRotationRepository } from './field-rotation.repository.js';
import { FieldWriter } from './field-writer.js';

@Module({
  imports: [AuditModule, CredentialStoreModule, GrantsModule, SealingModule, VerificationModule],
  controllers: [CredentialController],
  providers: [CredentialService, EndedRotations, FieldRotationRepository, FieldWriter],
  exports: [CredentialService],
})
export class CredentialsModule {}
