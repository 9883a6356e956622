import { Module } from '@nestjs/common';
import { ProviderDirectory } from './provider-directory.js';
import { ProviderKeys } from './provider-keys.js';
import { ProviderRepository } from './provider.repository.js';

/** A project's providers and their keys, for whatever asks their models. */
@Module({
  providers: [ProviderDirectory, ProviderKeys, ProviderRepository],
  exports: [ProviderDirectory, ProviderKeys, ProviderRepository],
})
export class ProviderAccessModule {}
