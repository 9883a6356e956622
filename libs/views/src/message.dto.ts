import type { MessageOrigin, NormalizedMessage } from '#libs/contracts';
import { anyObject, anyValue, idOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

/** The delivery of this installation by which a message came. */
class MessageOriginView implements MessageOrigin {
  @ApiProperty(idOf('dlv')) delivery_id: string;
  @ApiProperty({ type: 'integer', description: 'How many deliveries between Apps in a row, including this one' })
  hops: number;
}

/** A message as its adapter parsed it. */
export class NormalizedMessageView implements NormalizedMessage {
  @ApiProperty() event_type: string;
  @ApiProperty({ description: 'Who sent it, as the provider names them' }) sender: string;
  @ApiProperty() message: string;
  @ApiProperty() is_bot: boolean;
  @ApiProperty({ ...anyObject, selfRequired: false }) metadata?: Record<string, unknown>;
  @ApiProperty({ required: false, description: 'Messages of an App with the same key are one message' })
  dedup_key?: string;
  @ApiProperty({ required: false }) thread_id?: string;
  @ApiProperty({ required: false }) is_dm?: boolean;
  @ApiProperty({ ...anyValue, required: false }) challenge_response?: unknown;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Only of the built-in Webhook app: the workflow that it starts',
  })
  workflow_id?: number;
  @ApiProperty({
    enum: ['event_type', 'is_bot'],
    isArray: true,
    required: false,
    description: 'Fields that the adapter left out',
  })
  missing?: ('event_type' | 'is_bot')[];
  @ApiProperty({ type: MessageOriginView, required: false }) origin?: MessageOriginView;
}
