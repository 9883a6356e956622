import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { AuditController, auditProvider } from '#libs/audit';
import { changeListenerProvider, DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentDirectory } from './agents/agent-directory.js';
import { AgentUsageController } from './agents/agent-usage.controller.js';
import { AgentToolsets } from './agents/agent-toolsets.service.js';
import { AgentController } from './agents/agent.controller.js';
import { AgentRepository } from './agents/agent.repository.js';
import { AgentService } from './agents/agent.service.js';
import { NamedSkills } from './agents/named-skills.js';
import { ApprovalController } from './approvals/approval.controller.js';
import { ApprovalRepository } from './approvals/approval.repository.js';
import { ApprovalService } from './approvals/approval.service.js';
import { SpokenDecisions } from './approvals/spoken-decision.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionRepository } from './attention/attention.repository.js';
import { schema } from './db/schema.js';
import { DocumentRepository } from './knowledge/document.repository.js';
import { EntitiesController } from './knowledge/entities.controller.js';
import { EntityDirectory } from './knowledge/entity-directory.repository.js';
import { GraphRepository } from './knowledge/graph.repository.js';
import { KnowledgeController } from './knowledge/knowledge.controller.js';
import { SyncedDocumentRepository } from './knowledge/synced-document.repository.js';
import { SyncedDocumentsController } from './knowledge/synced-documents.controller.js';
import { configuredModels } from './model/configured-models.js';
import { ModelController } from './model/model.controller.js';
import { ModelPrices } from './model/model-prices.js';
import { ModelSpending } from './model/model-spending.js';
import { MODELS } from './model/model.js';
import { ReplyOffers } from './replies/reply-offers.service.js';
import { ReplyController } from './replies/reply.controller.js';
import { ReplyRepository } from './replies/reply.repository.js';
import { InternalRunsController } from './runs/internal-runs.controller.js';
import { EngineRetention } from './retention/engine-retention.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { RunDetails } from './runs/run-details.service.js';
import { RunRepository } from './runs/run.repository.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { Arrivals } from './sessions/arrivals.js';
import { SessionReplies } from './sessions/session-replies.service.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { type EngineSettings, SETTINGS } from './settings.js';
import { PythonCallbackController } from './tool-calls/python-callback.controller.js';
import { PythonCallbacks } from './tool-calls/python-callbacks.service.js';
import { PythonTriesController } from './tool-calls/python-tries.controller.js';
import { PythonTries } from './tool-calls/python-tries.service.js';
import { PythonTryRepository } from './tool-calls/python-try.repository.js';
import { ToolCallRepository } from './tool-calls/tool-call.repository.js';
import { toolProviders } from './tools/tools.providers.js';
import { AbandonedTurns } from './turns/abandoned-turns.repository.js';
import { InternalTurnsController } from './turns/internal-turns.controller.js';
import { StepRepository } from './turns/step.repository.js';
import { TurnCancellation } from './turns/turn-cancellation.service.js';
import { TurnBudget } from './turns/turn-budget.service.js';
import { TurnEndingRepository } from './turns/turn-ending.repository.js';
import { TurnJobsController } from './turns/turn-jobs.controller.js';
import { TurnJobs } from './turns/turn-jobs.service.js';
import { TurnFailures } from './turns/turn-failures.service.js';
import { TurnLeases } from './turns/turn-leases.js';
import { TurnRedrives } from './turns/turn-redrives.service.js';
import { TurnRunner } from './turns/turn-runner.service.js';
import { TurnSweeper } from './turns/turn-sweeper.js';
import { TurnSlots } from './turns/turn-slots.repository.js';
import { TurnEnqueuer } from './turns/turn-enqueuer.js';
import { TurnController } from './turns/turn.controller.js';
import { TurnRepository } from './turns/turn.repository.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageExportController } from './usage/usage-export.controller.js';
import { UsageExportRepository } from './usage/usage-export.repository.js';
import { UsageRepository } from './usage/usage.repository.js';

@Module({})
export class AppModule {
  static with(settings: EngineSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'engine',
          provesLife: true,
        }),
      ],
      controllers: [
        ProjectLimitsController,
        AttentionController,
        AgentController,
        AgentUsageController,
        ApprovalController,
        EntitiesController,
        KnowledgeController,
        ModelController,
        SyncedDocumentsController,
        InternalRunsController,
        InternalTurnsController,
        RunsController,
        SessionsController,
        TurnController,
        UsageController,
        UsageExportController,
        ReplyController,
        PythonCallbackController,
        PythonTriesController,
        TurnJobsController,
        AuditController,
      ],
      providers: [
        projectLimitsProvider('engine'),
        changeListenerProvider(schema, 'engine', settings),
        AttentionRepository,
        { provide: SETTINGS, useValue: settings },
        { provide: MODELS, useFactory: () => configuredModels(settings) },
        { provide: ModelPrices, useFactory: () => new ModelPrices(settings.MODEL_PRICES) },
        ModelSpending,
        ...toolProviders(settings),
        journalProvider('engine'),
        auditProvider('engine'),
        {
          provide: ServiceClient,
          useFactory: (tokens: ServiceTokens) => new ServiceClient('router', settings.ROUTER_URL, tokens),
          inject: [ServiceTokens],
        },
        AgentRepository,
        AgentDirectory,
        AgentService,
        AgentToolsets,
        NamedSkills,
        ApprovalRepository,
        AbandonedTurns,
        Arrivals,
        ApprovalService,
        SpokenDecisions,
        DocumentRepository,
        EntityDirectory,
        GraphRepository,
        SyncedDocumentRepository,
        ToolCallRepository,
        PythonCallbacks,
        PythonTries,
        PythonTryRepository,
        UsageRepository,
        UsageExportRepository,
        TurnBudget,
        TurnRepository,
        TurnEndingRepository,
        StepRepository,
        TurnFailures,
        TurnLeases,
        TurnSlots,
        TurnEnqueuer,
        TurnCancellation,
        TurnRedrives,
        RunRepository,
        RunDetails,
        RunsService,
        SessionRepository,
        SessionsService,
        SessionReplies,
        TurnRunner,
        TurnJobs,
        TurnSweeper,
        ReplyRepository,
        ReplyOffers,
        RetentionRepository,
        EngineRetention,
      ],
    };
  }
}
