import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { ServersModule } from '../servers/servers.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ToolRehearsalService } from './tool-rehearsal.service.js';
import { ToolTryController } from './tool-try.controller.js';
import { ToolTryService } from './tool-try.service.js';
import { TriedSkill } from './tried-skill.js';

@Module({
  imports: [CallsModule, ServersModule, SkillsModule, ToolsModule],
  controllers: [ToolTryController],
  providers: [ToolRehearsalService, ToolTryService, TriedSkill],
})
export class TriesModule {}
