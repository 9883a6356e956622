import { type ContentTrust, contentTrusts } from '#libs/contracts';
import { idOf, PageOf, time } from '#libs/service-kit';
import { EventResultView } from '#libs/views';
import { ApiProperty } from '@nestjs/swagger';
import type { ReplyAnswer } from './session-reply.service.js';
import type { CannedAnswer, SessionNote } from './inbox.repository.js';
import type { ListedSession } from './session-list.repository.js';
import { type SessionMark, type SessionRow, sessionStatuses } from './session.repository.js';
import { sessionSource } from './session-turn.dto.js';
import type { SessionDetail, ReadSummary } from './session.service.js';

export class SessionView implements SessionRow {
  @ApiProperty(idOf('ses')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(sessionSource) app_id: string;
  @ApiProperty({ description: 'What its messages have in common: a thread, a contact, or the channel' }) key: string;
  @ApiProperty({ ...idOf('agt'), nullable: true }) agent_id: string | null;
  @ApiProperty({ ...idOf('con'), nullable: true }) contact_id: string | null;
  @ApiProperty({ enum: sessionStatuses }) status: SessionRow['status'];
  @ApiProperty({ enum: ['queue', 'collect'] }) inbox_mode: string;
  @ApiProperty({ ...idOf('trn'), nullable: true }) current_turn_id: string | null;
  @ApiProperty({ type: 'integer', description: 'Grows with every message and every turn that starts' }) epoch: number;
  @ApiProperty({ type: 'integer', nullable: true, description: '`epoch` when a person last wrote or took over' })
  taken_over_epoch: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Who takes care of it: user:<id>' }) assigned_to:
    string | null;
  @ApiProperty({ type: 'integer', description: 'Epoch of the last turn that succeeded' }) answered_epoch: number;
  @ApiProperty({ type: 'integer', description: 'Number of messages that wait' }) waiting: number;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
}

class ListedSessionView extends SessionView implements ListedSession {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The beginning of its newest message; null if the caller lacks events:read',
  })
  last_text: string | null;
  @ApiProperty(time) last_message_at: Date;
  @ApiProperty({
    type: EventResultView,
    nullable: true,
    description: 'Result of the turn in progress, or of the newest one; null: nothing is recorded of it',
  })
  result: EventResultView | null;
  @ApiProperty({ description: 'Whether a message came since the caller last read it' }) unread: boolean;
  @ApiProperty({
    description: 'Whether a call waits for a decision of the caller, or a sender for an answer of a person',
  })
  waits_for_me: boolean;
}

export class SessionPage extends PageOf(ListedSessionView) {}

class SessionMarkView implements SessionMark {
  @ApiProperty(time) at: Date;
  @ApiProperty({ enum: ['takeover', 'hand_back', 'resolve', 'reopen', 'reset', 'reply'] }) kind: SessionMark['kind'];
  @ApiProperty() made_by: string;
  @ApiProperty({ type: String, nullable: true, description: 'Set if `kind` is reply' }) delivery_id: string | null;
}

export class SessionSummaryView implements ReadSummary {
  @ApiProperty({ description: 'Shown to the model instead of the turns in it; empty: nothing is shown' }) text: string;
  @ApiProperty({ type: 'integer', description: 'How many turns are in it' }) turns: number;
  @ApiProperty({ ...idOf('trn'), description: 'The last turn in it' }) through_turn_id: string;
  @ApiProperty({ enum: contentTrusts, description: 'The least trust of the turns in it' }) content_trust: ContentTrust;
  @ApiProperty({ description: 'The model that wrote it' }) model: string;
  @ApiProperty(time) made_at: Date;
  @ApiProperty({ type: String, nullable: true, description: 'Who corrected it last' }) corrected_by: string | null;
  @ApiProperty({ ...time, nullable: true }) corrected_at: Date | null;
}

export class SessionNoteView implements SessionNote {
  @ApiProperty(idOf('nte')) id: string;
  @ApiProperty() text: string;
  @ApiProperty({ description: 'user:<id> or key:<id>' }) made_by: string;
  @ApiProperty(time) at: Date;
}

export class CannedAnswerView implements CannedAnswer {
  @ApiProperty(idOf('can')) id: string;
  @ApiProperty() name: string;
  @ApiProperty() text: string;
  @ApiProperty({ description: 'user:<id> or key:<id>' }) made_by: string;
  @ApiProperty(time) created_at: Date;
}

export class CannedAnswerList {
  @ApiProperty({ type: [CannedAnswerView] }) data: CannedAnswerView[];
}

export class SessionDetailView extends SessionView implements SessionDetail {
  @ApiProperty({
    type: SessionSummaryView,
    nullable: true,
    description: 'What its older turns said, in short; null: there is none, or the caller lacks events:read',
  })
  summary: SessionSummaryView | null;
  @ApiProperty({ type: [SessionMarkView] }) marks: SessionMarkView[];
  @ApiProperty({ type: [SessionNoteView], description: 'Oldest first; empty if the caller lacks events:read' })
  notes: SessionNoteView[];
}

export class SessionReplyView implements ReplyAnswer {
  @ApiProperty(idOf('dlv')) delivery_id: string;
  @ApiProperty({ enum: ['queued', 'sending', 'delivered', 'dead', 'unknown', 'expired'] }) state: ReplyAnswer['state'];
  @ApiProperty({ type: String, nullable: true }) error: string | null;
}

export class CancelledTurnView {
  @ApiProperty(idOf('trn')) turn_id: string;
}
