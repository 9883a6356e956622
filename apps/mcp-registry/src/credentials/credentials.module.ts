import { Module } from '@nestjs/common';
import { CredentialBindings } from './credential-bindings.js';
import { ServerCredentials } from './server-credentials.js';
import { VaultCredentials } from './vault-credentials.js';

@Module({
  providers: [CredentialBindings, ServerCredentials, VaultCredentials],
  exports: [CredentialBindings, ServerCredentials, VaultCredentials],
})
export class CredentialsModule {}
