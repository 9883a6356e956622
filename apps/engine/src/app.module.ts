import { DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { journalProvider } from '#libs/journal';
import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentDirectory } from './agents/agent-directory.js';
import { AgentController } from './agents/agent.controller.js';
import { AgentRepository } from './agents/agent.repository.js';
import { AgentService } from './agents/agent.service.js';
import { schema } from './db/schema.js';
import { configuredModels } from './model/configured-models.js';
import { MODELS } from './model/model.js';
import { DeliveryResultsController } from './replies/delivery-results.controller.js';
import { ReplyOffers } from './replies/reply-offers.service.js';
import { ReplyController } from './replies/reply.controller.js';
import { ReplyRepository } from './replies/reply.repository.js';
import { type EngineSettings, SETTINGS } from './settings.js';
import { httpRequestTool } from './tools/http-request.tool.js';
import { Toolbox } from './tools/toolbox.js';
import { SessionWindowRepository } from './turns/session-window.repository.js';
import { StepRepository } from './turns/step.repository.js';
import { TurnAnnouncer } from './turns/turn-announcer.js';
import { TurnEndingRepository } from './turns/turn-ending.repository.js';
import { TurnJobsController } from './turns/turn-jobs.controller.js';
import { TurnJobs } from './turns/turn-jobs.service.js';
import { TurnLeases } from './turns/turn-leases.js';
import { TurnRunner } from './turns/turn-runner.service.js';
import { TurnSweeper } from './turns/turn-sweeper.js';
import { TurnController } from './turns/turn.controller.js';
import { TurnRepository } from './turns/turn.repository.js';

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
        }),
      ],
      controllers: [AgentController, TurnController, ReplyController, TurnJobsController, DeliveryResultsController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: MODELS, useFactory: () => configuredModels(settings) },
        { provide: Toolbox, useFactory: () => toolbox(settings) },
        journalProvider('engine'),
        {
          provide: ServiceClient,
          useFactory: (tokens: ServiceTokens) => new ServiceClient('router', settings.ROUTER_URL, tokens),
          inject: [ServiceTokens],
        },
        AgentRepository,
        AgentDirectory,
        AgentService,
        TurnRepository,
        TurnEndingRepository,
        StepRepository,
        SessionWindowRepository,
        TurnLeases,
        TurnAnnouncer,
        TurnRunner,
        TurnJobs,
        TurnSweeper,
        ReplyRepository,
        ReplyOffers,
      ],
    };
  }
}

function toolbox(settings: EngineSettings): Toolbox {
  const egress = createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW });
  const limits = { maxResponseBytes: settings.TOOL_RESULT_BYTES, timeoutMs: settings.TOOL_TIMEOUT_MS };
  return new Toolbox([httpRequestTool(egress, limits)]);
}
