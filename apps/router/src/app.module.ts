import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsModule } from './manage/agents/agents.module.js';
import { AttentionModule } from './manage/attention/attention.module.js';
import { ChannelsModule } from './manage/channels/channels.module.js';
import { ContactsModule } from './manage/contacts/contacts.module.js';
import { CoreModule } from './core.module.js';
import type { RouterSettings } from './env.js';
import { EventsModule } from './manage/events/events.module.js';
import { GuardsModule } from './path/guards/guards.module.js';
import { HandoverModule } from './path/handover/handover.module.js';
import { HeldModule } from './manage/held/held.module.js';
import { RoutingModule } from './path/routing/routing.module.js';
import { RunsModule } from './manage/runs/runs.module.js';
import { StatisticsModule } from './manage/statistics/statistics.module.js';
import { WorkflowsModule } from './manage/workflows/workflows.module.js';

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
