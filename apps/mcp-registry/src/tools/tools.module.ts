import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ServersModule } from '../servers/servers.module.js';
import { EffectService } from './effect.service.js';
import { PythonToolService } from './python-tool.service.js';
import { ToolController } from './tool.controller.js';
import { ToolRepository } from './tool.repository.js';
import { ToolService } from './tool.service.js';

@Module({
  imports: [AgentsModule, ServersModule],
  controllers: [ToolController],
  providers: [EffectService, PythonToolService, ToolRepository, ToolService],
  exports: [EffectService, PythonToolService, ToolRepository],
})
export class ToolsModule {}
