import { Module } from '@nestjs/common';
import { EngineRuns } from './engine-runs.js';
import { TurnHandover } from './turn-handover.service.js';

@Module({
  providers: [EngineRuns, TurnHandover],
  exports: [EngineRuns, TurnHandover],
})
export class HandoverModule {}
