import { Module } from '@nestjs/common';
import { ProviderDirectory } from './provider-directory.js';
import { TokenTransport } from './token-transport.js';

@Module({
  providers: [ProviderDirectory, TokenTransport],
  exports: [ProviderDirectory, TokenTransport],
})
export class OauthProvidersModule {}
