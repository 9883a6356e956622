import { DatabaseModule } from '#libs/database';
import { journalProvider } from '#libs/journal';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { ChannelRepository } from './channels/channel.repository.js';
import { ChannelsController } from './channels/channels.controller.js';
import { schema } from './db/schema.js';
import type { RouterSettings } from './env.js';
import { EventsController } from './events/events.controller.js';
import { EventsService, ingressClient } from './events/events.service.js';
import { ProjectRules } from './routing/project-rules.js';
import { RoutingHandler } from './routing/routing.handler.js';
import { RoutingRepository } from './routing/routing.repository.js';
import { gatewayClient, RoutingService } from './routing/routing.service.js';
import { RunRepository } from './runs/run.repository.js';
import { RunsController } from './runs/runs.controller.js';
import { routerSettings } from './settings.js';
import { TurnRepository } from './turns/turn.repository.js';
import { TurnsController } from './turns/turns.controller.js';
import { TurnsHandler } from './turns/turns.handler.js';
import { TurnsService } from './turns/turns.service.js';
import { TriggersController } from './workflows/triggers.controller.js';
import { WorkflowRepository } from './workflows/workflow.repository.js';
import { WorkflowsController } from './workflows/workflows.controller.js';

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
        }),
      ],
      controllers: [
        ChannelsController,
        EventsController,
        RoutingHandler,
        RunsController,
        TriggersController,
        TurnsController,
        TurnsHandler,
        WorkflowsController,
      ],
      providers: [
        { provide: routerSettings, useValue: settings },
        client(ingressClient, 'webhook-ingress', settings.INGRESS_URL),
        client(gatewayClient, 'adapter-gateway', settings.GATEWAY_URL),
        journalProvider('router'),
        ChannelRepository,
        EventsService,
        ProjectRules,
        RoutingRepository,
        RoutingService,
        RunRepository,
        TurnRepository,
        TurnsService,
        WorkflowRepository,
      ],
    };
  }
}
