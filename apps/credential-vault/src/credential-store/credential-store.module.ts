import { Module } from '@nestjs/common';
import { SealingModule } from '../sealing/sealing.module.js';
import { CredentialOpener } from './credential-opener.js';
import { CredentialRepository } from './credential.repository.js';

@Module({
  imports: [SealingModule],
  providers: [CredentialOpener, CredentialRepository],
  exports: [CredentialOpener, CredentialRepository],
})
export class CredentialStoreModule {}
