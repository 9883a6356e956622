import { BatchController } from './batches/batch.controller.js';
import { BatchService } from './batches/batch.service.js';
import { EventBodyService } from './body/event-body.service.js';
import { EventBodyController } from './body/event-body.controller.js';
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

/** In the order in which paths are matched: named ones before `:id`. */
export const eventControllers = [
  StreamController,
  DeadLetterController,
  BatchController,
  EventBodyController,
  EventController,
];

export const eventProviders = [
  BatchService,
  EventBodyService,
  EventLinkRepository,
  EventResultRepository,
  EventSearch,
  EventService,
  EventStreams,
  MessageFactRepository,
  Redriver,
  Replayer,
  ReplayTargets,
  RetentionRepository,
  RouterRetention,
];
