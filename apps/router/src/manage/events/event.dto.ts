import { stages, type TerminalOutcome, terminalOutcomes } from '#libs/contracts';
import { eventResults, type TimelineEntry } from '#libs/journal';
import { LaggingPageOf } from '#libs/list-reads';
import { anyObject, idOf, time } from '#libs/service-kit';
import { EventResultView, RunView } from '#libs/views';
import { ApiProperty } from '@nestjs/swagger';
import { EventWaitView } from '../waits/event-wait.dto.js';
import { messageSource, MessageView } from '../messages/message.dto.js';
import type { EventTurnLink } from '../../path/handover/engine-runs.js';
import type { Attempts } from './attempts.js';
import type { EventContact } from './event-result.repository.js';
import type { ListedEvent } from './event-search.service.js';
import type { EventDetail } from './event.service.js';
import type { EventReplay } from './event-replays.js';
import type { Replayed } from './replayer.js';

/** Each state of an event. */
const eventStates = [...new Set([...eventResults, ...terminalOutcomes, 'open'])];

export class EventView implements ListedEvent {
  @ApiProperty(idOf('evt')) id: string;
  @ApiProperty(messageSource) app_id: string;
  @ApiProperty(time) received_at: Date;
  @ApiProperty({ enum: terminalOutcomes, nullable: true, description: 'Final outcome; null: it has not ended' })
  outcome: TerminalOutcome | null;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ type: EventResultView, nullable: true, description: 'Result of its turns; null: it started no turn' })
  result: EventResultView | null;
  @ApiProperty({
    enum: eventStates,
    description:
      'What became of it, in one word: the result of its turns, else its outcome; open or waiting: it has not ended',
  })
  state: string;
  @ApiProperty({ description: 'Why it is in this state, and what to do, in words' }) why: string;
  @ApiProperty({ required: false, description: 'Of its first message; absent if it has none' })
  event_type?: string;
  @ApiProperty({ required: false }) sender?: string;
  @ApiProperty({ required: false, description: 'The beginning of the text' }) text?: string;
}

export class EventPage extends LaggingPageOf(EventView) {}

class TimelineEntryView implements TimelineEntry {
  @ApiProperty(time) at: Date;
  @ApiProperty() service: string;
  @ApiProperty({ enum: stages }) stage: string;
  @ApiProperty() outcome: string;
  @ApiProperty({ description: 'Whether the event ended here' }) terminal: boolean;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Id of a message, a turn or a delivery' }) subject_id:
    string | null;
  @ApiProperty({ type: 'integer' }) attempt: number;
  @ApiProperty({ type: Number, nullable: true }) duration_ms: number | null;
  @ApiProperty({ ...anyObject, nullable: true }) detail: Record<string, unknown> | null;
}

/** An entry as shown with its event. */
class EventEntryView extends TimelineEntryView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Time until its own work began: in a queue, or for what `waited_for` says; null: unknown',
  })
  waited_ms: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'What was waited for, as words that follow a duration' })
  waited_for: string | null;
  @ApiProperty(messageSource) app_id: string;
}

class AttemptsView implements Attempts {
  @ApiProperty({ enum: ['turn', 'delivery'] }) stage: string;
  @ApiProperty({ description: 'Id of the turn or the delivery' }) subject_id: string;
  @ApiProperty({ description: 'How each of them ended' }) outcome: string;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What the last of them said' }) error: string | null;
  @ApiProperty({ type: 'integer', description: 'Also those that have no entry on the timeline' }) count: number;
  @ApiProperty({ type: 'integer', description: 'Number of the first' }) attempt: number;
  @ApiProperty({ ...time, description: 'When the first began' }) from: Date;
  @ApiProperty({ ...time, description: 'When the last ended' }) to: Date;
  @ApiProperty({ description: 'In short: `12 × 500 in 80 s`' }) text: string;
}

class EventContactView implements EventContact {
  @ApiProperty(idOf('con')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: ['unknown', 'known', 'blocked'] }) status: string;
}

class EventTurnView implements EventTurnLink {
  @ApiProperty({ ...idOf('trn'), description: 'Its steps are at /api/v1/turns/:id' }) id: string;
  @ApiProperty() state: string;
  @ApiProperty({ ...idOf('msg'), nullable: true, description: 'The message that it handles' }) message_id:
    string | null;
  @ApiProperty({ ...idOf('run'), nullable: true, description: 'Set if a workflow started the turn' }) run_id:
    string | null;
  @ApiProperty({ ...idOf('ses'), nullable: true, description: 'Set if the turn is part of a conversation' })
  session_id: string | null;
  @ApiProperty({ ...idOf('trn'), nullable: true, description: 'The turn that answers it together with others' })
  collected_into: string | null;
}

class EventReplayView implements EventReplay {
  @ApiProperty(idOf('trn')) turn_id: string;
  @ApiProperty({ ...idOf('trn'), nullable: true, description: 'The turn that did the same at first; null: none did' })
  original_turn_id: string | null;
  @ApiProperty({ description: 'Who asked for it: user:<id> or key:<id>' }) by: string;
  @ApiProperty({ description: 'Whether it may send and change something; false: a rehearsal' }) deliver: boolean;
  @ApiProperty(time) at: Date;
}

export class EventDetailView implements EventDetail {
  @ApiProperty(idOf('evt')) id: string;
  @ApiProperty({ ...messageSource, nullable: true }) app_id: string | null;
  @ApiProperty({ enum: terminalOutcomes, nullable: true, description: 'Final outcome; null: it has not ended' })
  outcome: string | null;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ description: 'Why it ended as it did, in words' }) text: string;
  @ApiProperty({ type: EventResultView, nullable: true, description: 'Result of its turns; null: it started no turn' })
  result: EventResultView | null;
  @ApiProperty({
    enum: eventStates,
    description:
      'What became of it, in one word: the result of its turns, else its outcome; open or waiting: it has not ended',
  })
  state: string;
  @ApiProperty({ description: 'Why it is in this state, and what to do, in words' }) why: string;
  @ApiProperty({ type: [EventEntryView] }) timeline: EventEntryView[];
  @ApiProperty({
    type: [AttemptsView],
    description: 'What its turns and deliveries tried, oldest first; attempts in a row that ended alike are one',
  })
  attempts: AttemptsView[];
  @ApiProperty({ type: [MessageView] }) messages: MessageView[];
  @ApiProperty({ type: [RunView] }) runs: RunView[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What is missing from this answer, and why; null: nothing',
  })
  incomplete: string | null;
  @ApiProperty({ type: [EventContactView], description: 'Who wrote it, with their current data' })
  contacts: EventContactView[];
  @ApiProperty({ type: [EventTurnView], description: 'Turns that handle it, oldest first' }) turns: EventTurnView[];
  @ApiProperty({ type: [EventReplayView], description: 'Those of its turns that people asked for again, oldest first' })
  replays: EventReplayView[];
  @ApiProperty({ type: [EventWaitView], description: 'Steps of runs that waited for it, and went on' })
  continued: EventWaitView[];
}

export class ReplayedEventView implements Replayed {
  @ApiProperty({ enum: ['messages', 'receipt'], description: 'receipt: it goes through the whole pipeline again' })
  replayed: 'messages' | 'receipt';
  @ApiProperty({ type: [String] }) run_ids: string[];
  @ApiProperty({ type: [String], description: 'Turns of those runs, and of sessions' }) turn_ids: string[];
}
