import type { AttachmentHead, OutboundAction, OutboundContent, ReplyTarget } from '#libs/contracts';
import type { WorkRow } from '#libs/work';
import type { WebChatMail } from '../../web-chat/web-chat-mail.entity.js';
import { LaggingPageOf } from '#libs/list-reads';
import { anyValue, idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type DeliveryRow, type DeliveryState, providerStatuses } from '../../entities/delivery.entity.js';

class AttachmentView implements AttachmentHead {
  @ApiProperty() name: string;
  @ApiProperty() content_type: string;
  @ApiProperty({ type: 'integer', description: 'Bytes' }) size: number;
  @ApiProperty() sha256: string;
}

class DeliveryTargetView implements ReplyTarget {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({ type: String, nullable: true }) channel_address: string | null;
  @ApiProperty({
    enum: [true],
    type: Boolean,
    required: false,
    description: "The address is the channel's setting, so each attempt takes the one of its time",
  })
  by_channel?: true;
  @ApiProperty({ type: String, nullable: true }) thread_id: string | null;
  @ApiProperty({ ...anyValue, description: "The adapter's own" }) reply_context: unknown;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Deliveries in a row that led to the message which is answered; absent: none',
  })
  hops?: number;
  @ApiProperty({ required: false, description: 'Who is answered, where that is known' }) answers?: string;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'It expires this many seconds after open_since; absent: it does not',
  })
  ttl_seconds?: number;
  @ApiProperty({
    enum: [true],
    type: Boolean,
    required: false,
    description: 'The channel shows that an answer is written',
  })
  typing?: true;
  @ApiProperty({ enum: [true], type: Boolean, required: false, description: 'The channel takes files with an answer' })
  files?: true;
}

class OutboundActionView implements OutboundAction {
  @ApiProperty() id: string;
  @ApiProperty() label: string;
  @ApiProperty({ enum: ['default', 'primary', 'danger'], required: false }) style?: OutboundAction['style'];
  @ApiProperty({ description: 'Comes back with the press' }) value: string;
}

class OutboundReactionView {
  @ApiProperty({ description: "The provider's id of the message that is reacted to" }) to: string;
  @ApiProperty() emoji: string;
}

class ErasedView {
  @ApiProperty(time) at: string;
  @ApiProperty() by: string;
}

class OutboundContentView implements OutboundContent {
  @ApiProperty({ type: ErasedView, required: false, description: 'Whom it answered was erased, and with it the text' })
  erased?: ErasedView;
  @ApiProperty() text: string;
  @ApiProperty({ enum: ['markdown', 'plain', 'native'], required: false, description: 'Absent: markdown' })
  format?: OutboundContent['format'];
  @ApiProperty({ required: false }) subject?: string;
  @ApiProperty({ type: [AttachmentView], required: false }) attachments?: AttachmentView[];
  @ApiProperty({ required: false, description: "The provider's id of the message that it changes" }) edit_of?: string;
  @ApiProperty({ type: [OutboundActionView], required: false }) actions?: OutboundActionView[];
  @ApiProperty({ type: OutboundReactionView, required: false }) reaction?: OutboundReactionView;
  @ApiProperty({ type: DeliveryTargetView }) target: DeliveryTargetView;
}

class DeliveryMailView {
  @ApiProperty({
    enum: ['queued', 'running', 'handed', 'sent', 'shown', 'dead'],
    description:
      'queued: it goes at due_at unless the visitor comes; handed: its own delivery has it; shown: the visitor came before it left',
  })
  state: WebChatMail['state'];
  @ApiProperty({ type: String, nullable: true, description: 'Why it did not go' }) reason: string | null;
  @ApiProperty({ ...idOf('dlv'), nullable: true, description: 'The delivery by mail' }) delivery_id: string | null;
  @ApiProperty(time) due_at: Date;
}

export class DeliveryView implements Omit<DeliveryRow, keyof WorkRow | 'entry'> {
  @ApiProperty(idOf('dlv')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({ description: 'The event that it answers' }) receipt_id: string;
  @ApiProperty({ ...idOf('trn'), nullable: true }) turn_id: string | null;
  @ApiProperty({ type: OutboundContentView }) content: OutboundContentView;
  @ApiProperty({ enum: ['queued', 'sending', 'delivered', 'dead', 'unknown', 'expired'] }) state: DeliveryState;
  @ApiProperty({ type: 'integer' }) attempts: number;
  @ApiProperty({ type: 'integer', description: 'Parts that the provider already has' }) from_part: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Parts that the gateway splits it into; null: it goes as one, or the adapter splits it',
  })
  parts: number | null;
  @ApiProperty({ type: 'integer', description: 'Characters of the text that were cut: over DELIVERY_MAX_PARTS' })
  cut_chars: number;
  @ApiProperty({
    ...time,
    nullable: true,
    description: 'While queued: when it is attempted next. While sending: when its attempt counts as abandoned',
  })
  lease_until: Date | null;
  @ApiProperty({ type: String, nullable: true, description: "Where the address has moved to, by the provider's word" })
  moved_to: string | null;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty({ type: String, nullable: true }) error_detail: string | null;
  @ApiProperty({ type: String, nullable: true }) provider_message_id: string | null;
  @ApiProperty({
    enum: providerStatuses,
    nullable: true,
    description: 'What the provider has said became of it since; null: nothing',
  })
  provider_status: string | null;
  @ApiProperty({ type: String, nullable: true, description: "Why it failed, in the provider's words" })
  provider_status_detail: string | null;
  @ApiProperty({ ...time, nullable: true }) provider_status_at: Date | null;
  @ApiProperty({ type: String, nullable: true }) idempotency_key: string | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, description: 'When it was made, or last redriven' }) open_since: Date;
  @ApiProperty({ ...time, nullable: true, description: 'Since when all attempts have failed; null while none has' })
  failing_since: Date | null;
  @ApiProperty({ ...time, nullable: true }) settled_at: Date | null;

  @ApiProperty({
    type: DeliveryMailView,
    nullable: true,
    required: false,
    description:
      'One delivery: of an answer in a web chat, the mail to a visitor who is away; null: none. Lists leave it out',
  })
  mail?: DeliveryMailView | null;

  /** @param mail of an answer in a web chat */
  static withMail(row: DeliveryRow, mail: WebChatMail | null): DeliveryView {
    if (!mail) return { ...DeliveryView.of(row), mail: null };
    const { state, reason, delivery_id, due_at } = mail;
    return { ...DeliveryView.of(row), mail: { state, reason, delivery_id, due_at } };
  }

  static of({
    claim: _claim,
    owner: _owner,
    deaths: _deaths,
    on_trial: _trial,
    entry: _entry,
    ...row
  }: DeliveryRow): DeliveryView {
    const { tries: attempts, reason: error, due_at: dueAt, ended_at: settled_at, blocked_since, ...view } = row;
    const lease_until = row.state === 'queued' ? dueAt : row.lease_until;
    return { ...view, attempts, lease_until, error, failing_since: blocked_since, settled_at };
  }
}

export class DeliveryPage extends LaggingPageOf(DeliveryView) {}
