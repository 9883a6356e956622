import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ToolTryController } from './tool-try.controller.js';
import { ToolTryService } from './tool-try.service.js';

@Module({
  imports: [CallsModule, SkillsModule, ToolsModule],
  controllers: [ToolTryController],
  providers: [ToolTryService],
})
export class TriesModule {}
