import { Module } from '@nestjs/common';
import { PythonCallController } from './python-call.controller.js';
import { StepRepository } from './step.repository.js';
import { ToolCallRepository } from './tool-call.repository.js';

@Module({
  controllers: [PythonCallController],
  providers: [StepRepository, ToolCallRepository],
  exports: [StepRepository, ToolCallRepository],
})
export class StepsModule {}
