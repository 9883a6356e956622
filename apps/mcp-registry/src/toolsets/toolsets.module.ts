import { Module } from '@nestjs/common';
import { SkillsModule } from '../skills/skills.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ToolsetServerRepository } from './toolset-server.repository.js';
import { ToolsetController } from './toolset.controller.js';
import { ToolsetService } from './toolset.service.js';

@Module({
  imports: [SkillsModule, ToolsModule],
  controllers: [ToolsetController],
  providers: [ToolsetServerRepository, ToolsetService],
})
export class ToolsetsModule {}
