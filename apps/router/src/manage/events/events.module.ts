import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { HandoverModule } from '../../path/handover/handover.module.js';
import { RoutingModule } from '../../path/routing/routing.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { BatchController } from './batches/batch.controller.js';
import { BatchService } from './batches/batch.service.js';
import { EventBodyController } from './body/event-body.controller.js';
import { EventBodyService } from './body/event-body.service.js';
import { DeadLetterController } from './dead-letters/dead-letter.controller.js';
import { Redriver } from './dead-letters/redriver.js';
import { EventLinkRepository } from './event-link.repository.js';
import { EventResultRepository } from './event-result.repository.js';
import { EventSearch } from './event-search.service.js';
import { EventController } from './event.controller.js';
import { EventService } from './event.service.js';
import { MessageFactRepository } from './message-fact.repository.js';
import { ReplayTargets } from './replay-targets.js';
import { Replayer } from './replayer.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { RouterRetention } from './retention/router-retention.js';
import { EventStreams } from './stream/event-streams.js';
import { StreamController } from './stream/stream.controller.js';

@Module({
  imports: [AgentsModule, HandoverModule, RoutingModule, WorkflowsModule],
  // In the order in which paths are matched: named ones before `:id`.
  controllers: [StreamController, DeadLetterController, BatchController, EventBodyController, EventController],
  providers: [
    BatchService,
    EventBodyService,
    EventLinkRepository,
    EventResultRepository,
    EventSearch,
    EventService,
    EventStreams,
    MessageFactRepository,
    Redriver,
    ReplayTargets,
    Replayer,
    RetentionRepository,
    RouterRetention,
  ],
})
export class EventsModule {}
