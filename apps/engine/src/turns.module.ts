import { Module } from '@nestjs/common';
import { AgentsModule } from './agents.module.js';
import { ApprovalsModule } from './approvals.module.js';
import { CallsModule } from './path/calls/calls.module.js';
import { MemoriesModule } from './path/memories/memories.module.js';
import { ModelModule } from './path/model/model.module.js';
import { PreviewsModule } from './previews.module.js';
import { ProvidersModule } from './providers.module.js';
import { RepliesModule } from './replies.module.js';
import { StepsModule } from './steps.module.js';
import { ToolsModule } from './path/tools/tools.module.js';
import { UsageModule } from './usage.module.js';
import { Arrivals } from './path/turns/arrivals.js';
import { ATTACHMENTS } from './path/tools/tool.js';
import { AwaitedEvents } from './path/turns/awaited-events.service.js';
import { AttachedFiles } from './path/turns/attached-files.service.js';
import { InternalTurnController, TurnController } from './manage/turns/turn.controller.js';
import { TurnAttempts } from './path/turns/turn-attempt.service.js';
import { TurnBudget } from './path/turns/turn-budget.service.js';
import { TurnCancellation } from './manage/turns/turn-cancellation.service.js';
import { EndedWaits } from './manage/waits/ended-waits.service.js';
import { TurnEndingRepository, TurnFailureService } from './path/turns/turn-ending.repository.js';
import { TurnEnqueuer } from './path/turns/start-next.js';
import { TurnInputs } from './manage/turns/turn-inputs.service.js';
import { TurnJobHandler } from './path/turns/turn-job.handler.js';
import { TurnJobService } from './path/turns/turn-job.service.js';
import { TurnLeases, TurnSlots } from './path/turns/running-turns.repository.js';
import { TurnRedriveService } from './manage/turns/turn-redrive.service.js';
import { TurnRunner } from './path/turns/turn-runner.service.js';
import { TurnSetup } from './path/turns/turn-setup.service.js';
import { WorkflowRunner } from './path/turns/workflow-runner.service.js';
import { WorkflowStepRepository } from './path/steps/step.repository.js';
import { TurnSweeper } from './path/turns/turn-sweeper.js';
import { Compactor, ModelWindows } from './path/compaction/compactor.service.js';
import { TranscriptsModule } from './transcripts.module.js';
import { TypingSignal } from './path/previews/previews.service.js';
import { TurnRepository } from './path/turns/turn.repository.js';

@Module({
  imports: [
    AgentsModule,
    ApprovalsModule,
    CallsModule,
    MemoriesModule,
    ModelModule,
    PreviewsModule,
    ProvidersModule,
    RepliesModule,
    StepsModule,
    ToolsModule,
    TranscriptsModule,
    UsageModule,
  ],
  controllers: [InternalTurnController, TurnController, TurnJobHandler],
  providers: [
    Arrivals,
    AwaitedEvents,
    { provide: ATTACHMENTS, useClass: AttachedFiles },
    Compactor,
    EndedWaits,
    ModelWindows,
    TurnAttempts,
    TurnBudget,
    TurnCancellation,
    TurnEndingRepository,
    TurnEnqueuer,
    TurnFailureService,
    TurnInputs,
    TurnJobService,
    TurnLeases,
    TurnRedriveService,
    TurnRepository,
    TurnRunner,
    TurnSetup,
    TurnSlots,
    TurnSweeper,
    TypingSignal,
    WorkflowRunner,
    WorkflowStepRepository,
  ],
  exports: [TurnCancellation, TurnEnqueuer, TurnInputs, TurnRepository, WorkflowStepRepository],
})
export class TurnsModule {}
