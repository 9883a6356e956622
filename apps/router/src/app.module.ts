import { ProjectRowsController, projectRowsProvider } from '#libs/project-rows';
import { type DynamicModule, Module } from '@nestjs/common';
import { CoreModule } from './core.module.js';
import { movedJournal } from './db/moved-journal.js';
import { movedRows } from './db/moved-rows.js';
import type { RouterSettings } from './env.js';
import { AgentRequestController } from './manage/agent-requests/agent-request.controller.js';
import { AgentRequests } from './manage/agent-requests/agent-request.service.js';
import { NamedAgents } from './manage/agents/named-agents.js';
import { AttentionController } from './manage/attention/attention.controller.js';
import { AttentionRepository } from './manage/attention/attention.repository.js';
import { ChannelController } from './manage/channels/channel.controller.js';
import { ChannelWarnings } from './manage/channels/channel-warnings.js';
import { ChannelService } from './manage/channels/channel.service.js';
import { ChannelVersionController } from './manage/channels/channel-version.controller.js';
import { IncompleteMessages } from './manage/channels/incomplete-messages.js';
import { ChannelRepository } from './manage/channels/channel.repository.js';
import { NamedApps } from './manage/channels/named-apps.js';
import { ContactController, InternalContactController } from './manage/contacts/contact.controller.js';
import { ContactRepository } from './manage/contacts/contact.repository.js';
import { ContactService } from './manage/contacts/contact.service.js';
import { ErasureController } from './manage/erasures/erasure.controller.js';
import { ErasureRepository } from './manage/erasures/erasure.repository.js';
import { ErasureService } from './manage/erasures/erasure.service.js';
import { BatchController } from './manage/events/batches/batch.controller.js';
import { BatchService } from './manage/events/batches/batch.service.js';
import { EventBodyController } from './manage/events/body/event-body.controller.js';
import { EventBodyService } from './manage/events/body/event-body.service.js';
import { DeadLetterController } from './manage/events/dead-letters/dead-letter.controller.js';
import { Redriver } from './manage/events/dead-letters/redriver.js';
import { EventLinkRepository, EventResultRepository } from './manage/events/event-result.repository.js';
import { MessageRatesController } from './manage/events/message-rates.controller.js';
import { MessageRatesService } from './manage/events/message-rates.service.js';
import { StateCountsController } from './manage/events/state-counts.controller.js';
import { EventSearch } from './manage/events/event-search.service.js';
import { EventController } from './manage/events/event.controller.js';
import { EventService } from './manage/events/event.service.js';
import { MessageFactRepository } from './manage/events/message-fact.repository.js';
import { ReplayTargets } from './manage/events/replay-targets.js';
import { Replayer } from './manage/events/replayer.js';
import { RetentionRepository, RouterRetention } from './manage/events/retention/retention.repository.js';
import { EventStreams } from './manage/events/stream/event-streams.js';
import { StreamController } from './manage/events/stream/stream.controller.js';
import { HeldController } from './manage/held/held.controller.js';
import { HeldRepository } from './manage/held/held.repository.js';
import { RuleHistory } from './manage/history/rule-history.js';
import { HandedTurnController } from './manage/messages/handed-turn.controller.js';
import { Rerouter } from './manage/messages/reroute.service.js';
import { ProblemController } from './manage/problems/problem.controller.js';
import { ProblemMarkRepository } from './manage/problems/problem-mark.repository.js';
import { ProblemService } from './manage/problems/problem.service.js';
import { DirectRunController } from './manage/runs/direct-run.controller.js';
import { DirectRunService } from './manage/runs/direct-run.service.js';
import { ScheduleController } from './manage/schedules/schedule.controller.js';
import { ScheduleRepository } from './manage/schedules/schedule.repository.js';
import { ScheduleRunner } from './manage/schedules/schedule-runner.service.js';
import { ScheduleService } from './manage/schedules/schedule.service.js';
import { ScheduleTickRepository } from './manage/schedules/schedule-tick.repository.js';
import { ScheduledMessages } from './manage/schedules/scheduled-message.js';
import { StatisticsController } from './manage/statistics/statistics.controller.js';
import { StatisticsService } from './manage/statistics/statistics.service.js';
import { StatisticsSweeps } from './manage/statistics/statistics-sweeps.js';
import { ExplainedMessages } from './manage/workflows/explained-messages.js';
import { TriggerTrialService } from './manage/workflows/trigger-trial.service.js';
import { TriggerWarnings } from './manage/workflows/trigger-warnings.js';
import { TriggerVersionController } from './manage/workflows/trigger-version.controller.js';
import { WorkflowVersionController } from './manage/workflows/workflow-version.controller.js';
import { TriggerController } from './manage/workflows/trigger.controller.js';
import { TriggerService } from './manage/workflows/trigger.service.js';
import { WorkflowController } from './manage/workflows/workflow.controller.js';
import { WorkflowService } from './manage/workflows/workflow.service.js';
import { WorkflowRepository } from './manage/workflows/workflow.repository.js';
import { EventWaitController, InternalEventWaitController } from './manage/waits/event-wait.controller.js';
import { EventWaitRepository } from './manage/waits/event-wait.repository.js';
import { EventWaitService } from './manage/waits/event-wait.service.js';
import { WaitRunner } from './manage/waits/wait-runner.service.js';
import { Clock } from './path/guards/loop-breaker.js';
import { OutboundHandler, OutboundRepository } from './path/guards/outbound.handler.js';
import { EngineRuns } from './path/handover/engine-runs.js';
import { TurnHandover } from './path/handover/turn-handover.service.js';
import { DebounceSweeper } from './path/routing/debounce-sweeper.js';
import { EventWaits } from './path/routing/event-waits.js';
import { Planner } from './path/routing/planner.js';
import { RoutingHandler } from './path/routing/routing.handler.js';
import { RoutingService } from './path/routing/routing.service.js';
import { RoutingStore } from './path/routing/routing.store.js';
import { ProjectRules } from './path/rules/project-rules.js';

const path = {
  controllers: [OutboundHandler, RoutingHandler],
  providers: [
    Clock,
    OutboundRepository,
    EngineRuns,
    TurnHandover,
    DebounceSweeper,
    EventWaits,
    Planner,
    ProjectRules,
    RoutingService,
    RoutingStore,
  ],
};

const manage = {
  // The order in which the API is described, and in which paths are matched: named ones before `:id`.
  controllers: [
    AgentRequestController,
    AttentionController,
    ChannelController,
    ChannelVersionController,
    ContactController,
    InternalContactController,
    ErasureController,
    DirectRunController,
    StreamController,
    DeadLetterController,
    BatchController,
    EventBodyController,
    EventController,
    MessageRatesController,
    StateCountsController,
    HeldController,
    ProblemController,
    ScheduleController,
    StatisticsController,
    TriggerController,
    TriggerVersionController,
    WorkflowController,
    WorkflowVersionController,
    EventWaitController,
    InternalEventWaitController,
    HandedTurnController,
    ProjectRowsController,
  ],
  providers: [
    AgentRequests,
    NamedAgents,
    AttentionRepository,
    ChannelRepository,
    ChannelService,
    ChannelWarnings,
    IncompleteMessages,
    NamedApps,
    ContactRepository,
    ContactService,
    ErasureRepository,
    ErasureService,
    DirectRunService,
    BatchService,
    EventBodyService,
    EventLinkRepository,
    EventResultRepository,
    EventSearch,
    EventService,
    EventStreams,
    MessageFactRepository,
    MessageRatesService,
    Redriver,
    ReplayTargets,
    Replayer,
    RetentionRepository,
    RouterRetention,
    HeldRepository,
    RuleHistory,
    projectRowsProvider(movedRows, movedJournal),
    Rerouter,
    ProblemMarkRepository,
    ProblemService,
    ScheduledMessages,
    ScheduleRepository,
    ScheduleRunner,
    ScheduleService,
    ScheduleTickRepository,
    StatisticsService,
    StatisticsSweeps,
    ExplainedMessages,
    TriggerService,
    TriggerTrialService,
    TriggerWarnings,
    EventWaitRepository,
    EventWaitService,
    WaitRunner,
    WorkflowRepository,
    WorkflowService,
  ],
};

@Module({})
export class AppModule {
  static with(settings: RouterSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [CoreModule.with(settings)],
      controllers: [...manage.controllers, ...path.controllers],
      providers: [...manage.providers, ...path.providers],
    };
  }
}
