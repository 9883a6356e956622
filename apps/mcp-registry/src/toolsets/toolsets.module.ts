import { Module } from '@nestjs/common';
import { ServersModule } from '../servers/servers.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ToolsetController } from './toolset.controller.js';
import { ToolsetService } from './toolset.service.js';

@Module({
  imports: [ServersModule, SkillsModule, ToolsModule],
  controllers: [ToolsetController],
  providers: [ToolsetService],
})
export class ToolsetsModule {}
