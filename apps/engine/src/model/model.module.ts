import { Module } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { configuredModels } from './configured-models.js';
import { ModelPrices } from './model-prices.js';
import { ModelSpending } from './model-spending.js';
import { ModelController } from './model.controller.js';
import { MODELS } from './model.js';

@Module({
  controllers: [ModelController],
  providers: [
    { provide: MODELS, useFactory: configuredModels, inject: [SETTINGS] },
    {
      provide: ModelPrices,
      useFactory: (settings: EngineSettings) => new ModelPrices(settings.MODEL_PRICES),
      inject: [SETTINGS],
    },
    ModelSpending,
  ],
  exports: [MODELS, ModelPrices, ModelSpending],
})
export class ModelModule {}
