import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ModelModule } from '../model/model.module.js';
import { PreviewsModule } from '../previews/previews.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { RepliesModule } from '../replies/replies.module.js';
import { StepsModule } from '../steps/steps.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { Arrivals } from './arrivals.js';
import { InternalTurnController, TurnController } from './turn.controller.js';
import { TurnBudget } from './turn-budget.service.js';
import { TurnCancellation } from './turn-cancellation.service.js';
import { TurnEndingRepository, TurnFailureService } from './turn-ending.repository.js';
import { TurnEnqueuer } from './start-next.js';
import { TurnJobHandler } from './turn-job.handler.js';
import { TurnJobService } from './turn-job.service.js';
import { TurnLeases, TurnSlotRepository } from './running-turns.repository.js';
import { TurnRedriveService } from './turn-redrive.service.js';
import { TurnRunner } from './turn-runner.service.js';
import { TurnSweeper } from './turn-sweeper.js';
import { CompactionModule } from '../compaction/compaction.module.js';
import { TypingSignal } from './typing-signal.js';
import { TurnRepository } from './turn.repository.js';

@Module({
  imports: [
    AgentsModule,
    ApprovalsModule,
    CompactionModule,
    ModelModule,
    PreviewsModule,
    ProvidersModule,
    RepliesModule,
    StepsModule,
    ToolsModule,
    UsageModule,
  ],
  controllers: [InternalTurnController, TurnController, TurnJobHandler],
  providers: [
    Arrivals,
    TurnBudget,
    TurnCancellation,
    TurnEndingRepository,
    TurnEnqueuer,
    TurnFailureService,
    TurnJobService,
    TurnLeases,
    TurnRedriveService,
    TurnRepository,
    TurnRunner,
    TurnSlotRepository,
    TurnSweeper,
    TypingSignal,
  ],
  exports: [TurnCancellation, TurnEnqueuer, TurnRepository],
})
export class TurnsModule {}
