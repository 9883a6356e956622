import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { AuditController, auditProvider } from '#libs/audit';
import { changeListenerProvider, DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentDirectory } from './agents/agent-directory.js';
import { AgentUsageController } from './agents/agent-usage.controller.js';
import { AgentToolsetService } from './agents/agent-toolset.service.js';
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
import { EntityController } from './knowledge/entity.controller.js';
import { EntityDirectory } from './knowledge/entity-directory.repository.js';
import { GraphRepository } from './knowledge/graph.repository.js';
import { KnowledgeController } from './knowledge/knowledge.controller.js';
import { SyncedDocumentRepository } from './knowledge/synced-document.repository.js';
import { SyncedDocumentController } from './knowledge/synced-document.controller.js';
import { configuredModels } from './model/configured-models.js';
import { ModelController } from './model/model.controller.js';
import { ModelPrices } from './model/model-prices.js';
import { ModelSpending } from './model/model-spending.js';
import { MODELS } from './model/model.js';
import { ReplyOfferService } from './replies/reply-offer.service.js';
import { ReplyController } from './replies/reply.controller.js';
import { ReplyRepository } from './replies/reply.repository.js';
import { InternalRunController } from './runs/internal-run.controller.js';
import { EngineRetention } from './retention/engine-retention.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { RunDetailService } from './runs/run-detail.service.js';
import { RunRepository } from './runs/run.repository.js';
import { RunController } from './runs/run.controller.js';
import { RunService } from './runs/run.service.js';
import { Arrivals } from './sessions/arrivals.js';
import { SessionReplyService } from './sessions/session-reply.service.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionController } from './sessions/session.controller.js';
import { SessionService } from './sessions/session.service.js';
import { type EngineSettings, SETTINGS } from './settings.js';
import { PythonCallbackController } from './tool-calls/python-callback.controller.js';
import { PythonCallbackService } from './tool-calls/python-callback.service.js';
import { PythonTryController } from './tool-calls/python-try.controller.js';
import { PythonTryService } from './tool-calls/python-try.service.js';
import { PythonTryRepository } from './tool-calls/python-try.repository.js';
import { ToolCallRepository } from './tool-calls/tool-call.repository.js';
import { toolProviders } from './tools/tools.providers.js';
import { AbandonedTurnRepository } from './turns/abandoned-turn.repository.js';
import { InternalTurnController } from './turns/internal-turn.controller.js';
import { StepRepository } from './turns/step.repository.js';
import { TurnCancellation } from './turns/turn-cancellation.service.js';
import { TurnBudget } from './turns/turn-budget.service.js';
import { TurnEndingRepository } from './turns/turn-ending.repository.js';
import { TurnJobHandler } from './turns/turn-job.handler.js';
import { TurnJobService } from './turns/turn-job.service.js';
import { TurnFailureService } from './turns/turn-failure.service.js';
import { TurnLeases } from './turns/turn-leases.js';
import { TurnRedriveService } from './turns/turn-redrive.service.js';
import { TurnRunner } from './turns/turn-runner.service.js';
import { TurnSweeper } from './turns/turn-sweeper.js';
import { TurnSlotRepository } from './turns/turn-slot.repository.js';
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
        EntityController,
        KnowledgeController,
        ModelController,
        SyncedDocumentController,
        InternalRunController,
        InternalTurnController,
        RunController,
        SessionController,
        TurnController,
        UsageController,
        UsageExportController,
        ReplyController,
        PythonCallbackController,
        PythonTryController,
        TurnJobHandler,
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
        AgentToolsetService,
        NamedSkills,
        ApprovalRepository,
        AbandonedTurnRepository,
        Arrivals,
        ApprovalService,
        SpokenDecisions,
        DocumentRepository,
        EntityDirectory,
        GraphRepository,
        SyncedDocumentRepository,
        ToolCallRepository,
        PythonCallbackService,
        PythonTryService,
        PythonTryRepository,
        UsageRepository,
        UsageExportRepository,
        TurnBudget,
        TurnRepository,
        TurnEndingRepository,
        StepRepository,
        TurnFailureService,
        TurnLeases,
        TurnSlotRepository,
        TurnEnqueuer,
        TurnCancellation,
        TurnRedriveService,
        RunRepository,
        RunDetailService,
        RunService,
        SessionRepository,
        SessionService,
        SessionReplyService,
        TurnRunner,
        TurnJobService,
        TurnSweeper,
        ReplyRepository,
        ReplyOfferService,
        RetentionRepository,
        EngineRetention,
      ],
    };
  }
}
