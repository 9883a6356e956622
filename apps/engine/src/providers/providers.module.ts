import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ModelModule } from '../model/model.module.js';
import { MODELS } from '../model/model.js';
import { ModelController } from './model.controller.js';
import { ProviderDirectory } from './provider-directory.js';
import { ProviderKeys } from './provider-keys.js';
import { ProviderModels } from './provider-models.js';
import { ProviderTestService } from './provider-test.service.js';
import { ProviderController } from './provider.controller.js';
import { ProviderRepository } from './provider.repository.js';
import { ProviderService } from './provider.service.js';

@Module({
  imports: [AgentsModule, ModelModule],
  controllers: [ModelController, ProviderController],
  providers: [
    ProviderDirectory,
    ProviderKeys,
    ProviderModels,
    ProviderRepository,
    ProviderService,
    ProviderTestService,
    { provide: MODELS, useExisting: ProviderModels },
  ],
  exports: [MODELS],
})
export class ProvidersModule {}
