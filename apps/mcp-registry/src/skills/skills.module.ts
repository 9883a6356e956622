import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ManifestSkillController } from './manifest-skill.controller.js';
import { ManifestSkillService } from './manifest-skill.service.js';
import { SkillFolderService } from './skill-folder.service.js';
import { SkillController } from './skill.controller.js';
import { SkillRepository } from './skill.repository.js';
import { SkillService } from './skill.service.js';

@Module({
  imports: [AgentsModule, CredentialsModule, ToolsModule],
  controllers: [ManifestSkillController, SkillController],
  providers: [ManifestSkillService, SkillFolderService, SkillRepository, SkillService],
  exports: [SkillRepository],
})
export class SkillsModule {}
