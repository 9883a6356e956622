import { Module } from '@nestjs/common';
import { Compactor } from './compactor.service.js';
import { ModelWindows } from './model-windows.js';
import { SummaryRepository } from './summary.repository.js';

@Module({
  providers: [Compactor, ModelWindows, SummaryRepository],
  exports: [Compactor, ModelWindows, SummaryRepository],
})
export class CompactionModule {}
