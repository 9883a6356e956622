import { ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { changeListenerProvider, DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { NamedApps } from './channels/named-apps.js';
import { ENGINE, NamedAgents } from './agents/named-agents.js';
import { ChannelRepository } from './channels/channel.repository.js';
import { ChannelController } from './channels/channel.controller.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionRepository } from './attention/attention.repository.js';
import { schema } from './db/schema.js';
import type { RouterSettings } from './env.js';
import { eventControllers, eventProviders } from './events/events.parts.js';
import { INGRESS } from './events/ingress-client.js';
import { ProjectRules } from './routing/project-rules.js';
import { ProjectRulesRepository } from './routing/project-rules.repository.js';
import { RoutingHandler } from './routing/routing.handler.js';
import { RoutingRepository } from './routing/routing.repository.js';
import { GATEWAY, RoutingService } from './routing/routing.service.js';
import { SETTINGS } from './settings.js';
import { ContactRepository } from './contacts/contact.repository.js';
import { ContactController } from './contacts/contact.controller.js';
import { ContactService } from './contacts/contact.service.js';
import { Clock } from './guards/clock.js';
import { OutboundHandler } from './guards/outbound.handler.js';
import { OutboundRepository } from './guards/outbound.repository.js';
import { HeldController } from './held/held.controller.js';
import { HeldRepository } from './held/held.repository.js';
import { Rerouter } from './routing/reroute.service.js';
import { DirectRunController } from './runs/direct-run.controller.js';
import { DirectRunService } from './runs/direct-run.service.js';
import { ExplainedMessages } from './workflows/explained-messages.js';
import { DebounceSweeper } from './workflows/debounce-sweeper.js';
import { TriggerService } from './workflows/trigger.service.js';
import { EngineRuns } from './handover/engine-runs.js';
import { HandedTurnController } from './routing/handed-turn.controller.js';
import { TurnHandover } from './handover/turn-handover.service.js';
import { StatisticsController } from './statistics/statistics.controller.js';
import { StatisticsService } from './statistics/statistics.service.js';
import { StatisticsSweeps } from './statistics/statistics-sweeps.js';
import { TriggerTrialService } from './workflows/trigger-trial.service.js';
import { TriggerController } from './workflows/trigger.controller.js';
import { WorkflowRepository } from './workflows/workflow.repository.js';
import { WorkflowController } from './workflows/workflow.controller.js';

@Module({})
export class AppModule {
  static with(settings: RouterSettings): DynamicModule {
    const client = (token: symbol, audience: Audience, url: string): FactoryProvider => ({
      provide: token,
      useFactory: (tokens: ServiceTokens) => new ServiceClient(audience, url, tokens),
      inject: [ServiceTokens],
    });
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'router',
          provesLife: true,
        }),
      ],
      controllers: [
        ProjectLimitsController,
        AttentionController,
        ChannelController,
        ContactController,
        DirectRunController,
        ...eventControllers,
        HeldController,
        OutboundHandler,
        RoutingHandler,
        StatisticsController,
        TriggerController,
        HandedTurnController,
        WorkflowController,
      ],
      providers: [
        projectLimitsProvider('router'),
        changeListenerProvider(schema, 'router', settings),
        AttentionRepository,
        { provide: SETTINGS, useValue: settings },
        client(INGRESS, 'webhook-ingress', settings.INGRESS_URL),
        client(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL),
        client(ENGINE, 'engine', settings.ENGINE_URL),
        journalProvider('router'),
        ChannelRepository,
        Clock,
        ContactRepository,
        ContactService,
        DebounceSweeper,
        DirectRunService,
        ...eventProviders,
        ExplainedMessages,
        HeldRepository,
        NamedAgents,
        NamedApps,
        OutboundRepository,
        ProjectRules,
        ProjectRulesRepository,
        Rerouter,
        RoutingRepository,
        RoutingService,
        TriggerService,
        EngineRuns,
        TurnHandover,
        StatisticsService,
        StatisticsSweeps,
        TriggerTrialService,
        WorkflowRepository,
      ],
    };
  }
}
