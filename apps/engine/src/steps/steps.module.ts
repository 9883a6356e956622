import { Module } from '@nestjs/common';
import { StepRepository } from './step.repository.js';
import { ToolCallRepository } from './tool-call.repository.js';

@Module({
  providers: [StepRepository, ToolCallRepository],
  exports: [StepRepository, ToolCallRepository],
})
export class StepsModule {}
