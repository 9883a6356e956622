import { Module } from '@nestjs/common';
import { ToolsModule } from './path/tools/tools.module.js';
import { AgentDirectory } from './path/agents/agent-directory.js';
import { AgentToolsetService } from './manage/agents/agent-toolset.service.js';
import { AgentUsageController } from './manage/agents/agent-usage.controller.js';
import { AgentController } from './manage/agents/agent.controller.js';
import { AgentVersionController } from './manage/agents/agent-version.controller.js';
import { AgentVersionRepository } from './manage/agents/agent-version.repository.js';
import { AgentVersionService } from './manage/agents/agent-version.service.js';
import { AgentRepository } from './manage/agents/agent.repository.js';
import { AgentService } from './manage/agents/agent.service.js';
import { NamedSkills } from './manage/agents/named-skills.js';

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
