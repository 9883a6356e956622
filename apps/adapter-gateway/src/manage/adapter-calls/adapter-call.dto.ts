import { type Credentials, MAX_ACTIONS } from '#libs/adapter-sdk';
import type { CredentialType } from '#libs/contracts';
import { AsGiven, Flag, JsonObject, MayBeAbsent, Nested, NestedList, OneOf, Text, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, ValidateNested } from 'class-validator';

/** The target of a call: an App, or an adapter of the organization with the caller's own credentials. */
export class AdapterCall {
  @Text(100, { optional: true, description: "Default: the token's organization" }) organization_id?: string;
  @Text(100, { optional: true }) app_id?: string;
  @Text(63, { optional: true }) adapter_slug?: string;
  @JsonObject({
    optional: true,
    description:
      'With adapter_slug: the fields of one record, by their own names, or by maps_to if credential_type is absent',
  })
  credentials?: Credentials;
  @OneOf(['api_key', 'text', 'oauth2'], { optional: true, description: 'Type of the record in credentials' })
  credential_type?: CredentialType;
  @Text(100, {
    optional: true,
    description: 'Id of that record. If an App has it linked, the other records of the App are added',
  })
  credential_id?: string;
}

export class FormatCall extends AdapterCall {
  @Text(1_000_000) text: string;
  @OneOf(['rich', 'plain'], { optional: true }) mode?: 'rich' | 'plain';
  @Whole(1, 1_000_000, { optional: true }) max_length?: number;
}

export class ListChangesCall extends AdapterCall {
  @Text(2_000) resource_path: string;
  @Text(4_096, { optional: true, nullable: true, description: 'Null or absent: list from the start' }) cursor?:
    string | null;
}

export class FetchFileCall extends AdapterCall {
  @Text(2_000) resource_path: string;
  @Text(2_000, { minLength: 1 }) file_path: string;
}

export class OutgoingAttachment {
  @Text(200, { minLength: 1 }) name: string;
  @Text(200, { optional: true }) content_type?: string;
  @Text(40_000_000) content_base64: string;
}

export class OutgoingAction {
  @Text(15, { minLength: 1, description: '1 to 15 letters, digits, _ and -, another one for each' }) id: string;
  @Text(40, { minLength: 1 }) label: string;
  @OneOf(['default', 'primary', 'danger'], { optional: true }) style?: 'default' | 'primary' | 'danger';
  @Text(48, { description: 'Comes back with the press; at most 48 bytes' }) value: string;
}

export class OutgoingReaction {
  @Text(200, { minLength: 1, description: "The provider's id of the message" }) to: string;
  @Text(100, { minLength: 1, description: 'An emoji, or its name at the provider between colons' }) emoji: string;
}

export class OutgoingMessage {
  @Text(1_000_000) text: string;
  @Text(500, { optional: true }) thread_id?: string;
  @OneOf(['markdown', 'plain', 'native'], { optional: true }) format?: 'markdown' | 'plain' | 'native';
  @Text(500, { optional: true }) subject?: string;
  @AsGiven() @IsOptional() reply_context?: unknown;
  @ApiProperty({ type: [OutgoingAttachment], required: false })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(10)
  @ValidateNested({ each: true })
  @Type(() => OutgoingAttachment)
  attachments?: OutgoingAttachment[];
  @Text(200, { optional: true, minLength: 1, description: "The provider's id of the message that it changes" })
  edit_of?: string;
  @Text(200, {
    optional: true,
    minLength: 1,
    description: 'Key of a message of the App whose place it takes: by an edit, or as a message of its own',
  })
  replaces?: string;
  @NestedList(OutgoingAction, MAX_ACTIONS, { optional: true, description: 'Choices below the text' })
  actions?: OutgoingAction[];
  @Text(2_000, {
    optional: true,
    minLength: 1,
    description: 'The only sender whose number or words count where the channel has no buttons',
  })
  actions_for?: string;
  @Nested(OutgoingReaction, { optional: true }) reaction?: OutgoingReaction;
}

export class IndicateCall {
  @Text(100, { minLength: 1 }) app_id: string;
  @Text(2_000, { minLength: 1 }) channel_address: string;
  @Text(500, { optional: true }) thread_id?: string;
  @Text(500, { optional: true, minLength: 1, description: "The provider's id of the message that is being answered" })
  message_id?: string;
  @OneOf(['working', 'done']) state: 'working' | 'done';
}

export class DeliverCall {
  @Text(100, { minLength: 1 }) app_id: string;
  @Text(2_000) channel_address: string;
  @Flag({ optional: true, description: "The address is the channel's setting: the one of the attempt's time counts" })
  by_channel?: boolean;
  @Nested(OutgoingMessage) message: OutgoingMessage;
  @Text(200, { minLength: 1, description: 'The same message with the same key is delivered once' })
  idempotency_key: string;
  @Text(100, { optional: true, description: 'The event that it answers' }) receipt_id?: string;
  @Whole(1, 2_592_000, { optional: true, description: 'It is not sent after this many seconds' }) ttl_seconds?: number;
}
