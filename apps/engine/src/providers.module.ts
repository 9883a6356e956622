import { Module } from '@nestjs/common';
import { AgentsModule } from './agents.module.js';
import { ModelModule } from './path/model/model.module.js';
import { MODELS } from './path/model/model.js';
import { ModelController } from './manage/providers/model.controller.js';
import { KnowledgeModule } from './knowledge/knowledge.module.js';
import { ProviderAccessModule } from './path/providers/provider-access.module.js';
import { ProviderModels } from './path/providers/provider-models.js';
import { ProviderTestService } from './manage/providers/provider-test.service.js';
import { ProviderController } from './manage/providers/provider.controller.js';
import { ProviderService } from './manage/providers/provider.service.js';

@Module({
  imports: [AgentsModule, KnowledgeModule, ModelModule, ProviderAccessModule],
  controllers: [ModelController, ProviderController],
  providers: [ProviderModels, ProviderService, ProviderTestService, { provide: MODELS, useExisting: ProviderModels }],
  exports: [MODELS],
})
export class ProvidersModule {}
