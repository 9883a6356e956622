import { Module } from '@nestjs/common';
import { PythonCallController } from './manage/steps/python-call.controller.js';
import { StepRepository } from './path/steps/step.repository.js';
import { ToolCallRepository } from './path/steps/tool-call.repository.js';

@Module({
  controllers: [PythonCallController],
  providers: [StepRepository, ToolCallRepository],
  exports: [StepRepository, ToolCallRepository],
})
export class StepsModule {}
