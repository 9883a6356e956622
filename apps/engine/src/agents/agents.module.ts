import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { AgentDirectory } from './agent-directory.js';
import { AgentToolsetService } from './agent-toolset.service.js';
import { AgentUsageController } from './agent-usage.controller.js';
import { AgentController } from './agent.controller.js';
import { AgentVersionController } from './agent-version.controller.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { AgentVersionService } from './agent-version.service.js';
import { AgentRepository } from './agent.repository.js';
import { AgentService } from './agent.service.js';
import { NamedSkills } from './named-skills.js';

@Module({
  imports: [ToolsModule],
  controllers: [AgentController, AgentUsageController, AgentVersionController],
  providers: [
    AgentDirectory,
    AgentRepository,
    AgentService,
    AgentToolsetService,
    AgentVersionRepository,
    AgentVersionService,
    NamedSkills,
  ],
  exports: [AgentDirectory, AgentRepository, AgentService, AgentVersionRepository],
})
export class AgentsModule {}
