import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { ChannelsModule } from './channels/channels.module.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { CoreModule } from './core.module.js';
import type { RouterSettings } from './env.js';
import { EventsModule } from './events/events.module.js';
import { GuardsModule } from './guards/guards.module.js';
import { HandoverModule } from './handover/handover.module.js';
import { HeldModule } from './held/held.module.js';
import { RoutingModule } from './routing/routing.module.js';
import { RunsModule } from './runs/runs.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { WorkflowsModule } from './workflows/workflows.module.js';

@Module({})
export class AppModule {
  static with(settings: RouterSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The order in which the API is described.
        AttentionModule,
        ChannelsModule,
        ContactsModule,
        RunsModule,
        EventsModule,
        HeldModule,
        StatisticsModule,
        WorkflowsModule,
        AgentsModule,
        GuardsModule,
        HandoverModule,
        RoutingModule,
      ],
    };
  }
}
