import { Module } from '@nestjs/common';
import { Compactor } from './compactor.service.js';
import { ModelWindows } from './model-windows.js';

@Module({
  providers: [Compactor, ModelWindows],
  exports: [Compactor, ModelWindows],
})
export class CompactionModule {}
