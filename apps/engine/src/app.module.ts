import { ProjectRowsController, projectRowsProvider } from '#libs/project-rows';
import { type DynamicModule, Module } from '@nestjs/common';
import { A2AModule } from './manage/a2a/a2a.module.js';
import { AgentsModule } from './agents.module.js';
import { ApprovalsModule } from './approvals.module.js';
import { AttentionController } from './manage/attention/attention.controller.js';
import { AttentionRepository } from './manage/attention/attention.repository.js';
import { SpentBudgetRepository } from './manage/attention/spent-budget.repository.js';
import { ComparisonsModule } from './manage/comparisons/comparisons.module.js';
import { CoreModule } from './core.module.js';
import { movedRows } from './db/moved-rows.js';
import { KnowledgeModule } from './knowledge/knowledge.module.js';
import { OpenCallsModule } from './open-calls/open-calls.module.js';
import { ProvidersModule } from './providers.module.js';
import { PythonToolsModule } from './manage/python-tools/python-tools.module.js';
import { RepliesModule } from './replies.module.js';
import { EngineRetention, RetentionRepository } from './manage/retention/retention.repository.js';
import { ErasureController } from './manage/erasures/erasure.controller.js';
import { ErasureRepository } from './manage/erasures/erasure.repository.js';
import { McpServerModule } from './manage/mcp-server/mcp-server.module.js';
import { MemoryController } from './manage/memories/memory.controller.js';
import { MemoryRepository } from './manage/memories/memory.repository.js';
import { RunsModule } from './manage/runs/runs.module.js';
import { SessionsModule } from './manage/sessions/sessions.module.js';
import type { EngineSettings } from './settings.js';
import { StepsModule } from './steps.module.js';
import { ToolsModule } from './path/tools/tools.module.js';
import { TrialsModule } from './manage/trials/trials.module.js';
import { TurnsModule } from './turns.module.js';
import { UsageModule } from './usage.module.js';

@Module({})
export class AppModule {
  static with(settings: EngineSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The API is described in this order.
        AgentsModule,
        A2AModule,
        McpServerModule,
        TrialsModule,
        ComparisonsModule,
        ApprovalsModule,
        KnowledgeModule,
        ProvidersModule,
        RunsModule,
        SessionsModule,
        TurnsModule,
        UsageModule,
        RepliesModule,
        PythonToolsModule,
        StepsModule,
        ToolsModule,
        OpenCallsModule,
      ],
      controllers: [AttentionController, ErasureController, MemoryController, ProjectRowsController],
      providers: [
        AttentionRepository,
        EngineRetention,
        ErasureRepository,
        MemoryRepository,
        projectRowsProvider(movedRows),
        RetentionRepository,
        SpentBudgetRepository,
      ],
    };
  }
}
