import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { GuardsModule } from '../../path/guards/guards.module.js';
import { HandoverModule } from '../../path/handover/handover.module.js';
import { RoutingModule } from '../../path/routing/routing.module.js';
import { DebounceSweeper } from '../../path/routing/debounce-sweeper.js';
import { ExplainedMessages } from './explained-messages.js';
import { TriggerTrialService } from './trigger-trial.service.js';
import { TriggerWarnings } from './trigger-warnings.js';
import { TriggerController } from './trigger.controller.js';
import { TriggerService } from './trigger.service.js';
import { WorkflowController } from './workflow.controller.js';
import { WorkflowRepository } from './workflow.repository.js';

@Module({
  imports: [AgentsModule, ChannelsModule, GuardsModule, HandoverModule, RoutingModule],
  controllers: [TriggerController, WorkflowController],
  providers: [
    DebounceSweeper,
    ExplainedMessages,
    TriggerService,
    TriggerTrialService,
    TriggerWarnings,
    WorkflowRepository,
  ],
  exports: [ExplainedMessages, WorkflowRepository],
})
export class WorkflowsModule {}
