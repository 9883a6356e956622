import { Module } from '@nestjs/common';
import { AgentsModule } from './agents.module.js';
import { ModelModule } from './path/model/model.module.js';
import { MODELS } from './path/model/model.js';
import { ModelController } from './manage/providers/model.controller.js';
import { ProviderDirectory } from './path/providers/provider-directory.js';
import { ProviderKeys } from './path/providers/provider-keys.js';
import { ProviderModels } from './path/providers/provider-models.js';
import { ProviderTestService } from './manage/providers/provider-test.service.js';
import { ProviderController } from './manage/providers/provider.controller.js';
import { ProviderRepository } from './path/providers/provider.repository.js';
import { ProviderService } from './manage/providers/provider.service.js';

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
