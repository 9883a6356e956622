import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { CoreModule } from './core.module.js';
import { KnowledgeModule } from './knowledge/knowledge.module.js';
import { ProvidersModule } from './providers/providers.module.js';
import { PythonToolsModule } from './python-tools/python-tools.module.js';
import { RepliesModule } from './replies/replies.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import type { EngineSettings } from './settings.js';
import { StepsModule } from './steps/steps.module.js';
import { ToolsModule } from './tools/tools.module.js';
import { TrialsModule } from './trials/trials.module.js';
import { TurnsModule } from './turns/turns.module.js';
import { UsageModule } from './usage/usage.module.js';

@Module({})
export class AppModule {
  static with(settings: EngineSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The API is described in this order.
        AttentionModule,
        AgentsModule,
        TrialsModule,
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
        RetentionModule,
      ],
    };
  }
}
