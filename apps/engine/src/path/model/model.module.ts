import { Module } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ConfiguredModels } from './configured-models.js';
import { ModelPrices, ModelSpending } from './model-spending.js';

@Module({
  providers: [
    {
      provide: ConfiguredModels,
      useFactory: (settings: EngineSettings) => new ConfiguredModels(settings),
      inject: [SETTINGS],
    },
    {
      provide: ModelPrices,
      useFactory: (settings: EngineSettings) => new ModelPrices(settings.MODEL_PRICES, settings.MODEL_CURRENCY),
      inject: [SETTINGS],
    },
    ModelSpending,
  ],
  exports: [ConfiguredModels, ModelPrices, ModelSpending],
})
export class ModelModule {}
