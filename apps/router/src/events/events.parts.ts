import { BatchesController } from './batches/batches.controller.js';
import { BatchesService } from './batches/batches.service.js';
import { EventBodies } from './body/event-bodies.service.js';
import { EventBodyController } from './body/event-body.controller.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { Redriver } from './dead-letters/redriver.js';
import { EventLinksRepository } from './event-links.repository.js';
import { EventResultsRepository } from './event-results.repository.js';
import { EventSearch } from './event-search.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { MessageFactsRepository } from './message-facts.repository.js';
import { ReplayTargets } from './replay-targets.js';
import { Replayer } from './replayer.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { RouterRetention } from './retention/router-retention.js';
import { EventStreams } from './stream/event-streams.js';
import { StreamController } from './stream/stream.controller.js';

/** In the order in which paths are matched: named ones before `:id`. */
export const eventControllers = [
  StreamController,
  DeadLettersController,
  BatchesController,
  EventBodyController,
  EventsController,
];

export const eventProviders = [
  BatchesService,
  EventBodies,
  EventLinksRepository,
  EventResultsRepository,
  EventSearch,
  EventsService,
  EventStreams,
  MessageFactsRepository,
  Redriver,
  Replayer,
  ReplayTargets,
  RetentionRepository,
  RouterRetention,
];
