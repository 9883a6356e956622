import type { Capability } from '#libs/adapter-sdk';
import { type TextFrom, textSources } from '#libs/contracts';
import { Flag, MayBeAbsent, Name, Nested, OneOf, Text, Whole } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { CredentialForAll, CredentialsByKey } from './app-credential.dto.js';
import { ArrayMaxSize, IsArray, IsIn } from 'class-validator';
import { EventReadingSettings } from './event-reading.dto.js';
import { SignatureSettings } from './signature-settings.dto.js';

/** The capabilities of the adapter that an App uses; all when absent. */
export const Capabilities = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ enum: ['send', 'receive'], isArray: true, required: false, description: 'Default: all' }),
    MayBeAbsent(),
    IsArray(),
    ArrayMaxSize(2),
    IsIn(['send', 'receive'], { each: true }),
  );

const textFromDescription =
  'Only for the built-in Webhook app. people (default): its text counts as untrusted content, whoever signs it; system: the ' +
  'sending system writes all of it itself, which needs approvals:manage';

const senderDescription =
  'Only for the built-in Webhook app: a well-known sender (listWebhookSenders), which fills signature and reading in. Null: none';

export class InstallApp {
  @Name(200) name: string;
  @OneOf(['builtin', 'adapter']) kind: 'builtin' | 'adapter';
  @Text(100, { optional: true, description: 'Required when kind is adapter' }) adapter_id?: string;
  @CredentialForAll() credential_id?: string | null;
  @CredentialsByKey() credentials?: Record<string, string | null>;
  @Capabilities() capabilities?: Capability[];
  @Nested(SignatureSettings, { optional: true, description: 'Signature verification of the built-in Webhook app' })
  signature?: SignatureSettings;
  @Text(100, { optional: true, nullable: true, description: senderDescription }) sender?: string | null;
  @Nested(EventReadingSettings, { optional: true, nullable: true, description: 'Only for the built-in Webhook app' })
  reading?: EventReadingSettings | null;
  @OneOf(textSources, { optional: true, description: textFromDescription }) text_from?: TextFrom;
  @Whole(1_024, 26_214_400, { optional: true }) max_body_bytes?: number;
}

export class ChangeApp {
  @Name(200, { optional: true }) name?: string;
  @OneOf(['active', 'paused', 'disabled'], { optional: true }) state?: 'active' | 'paused' | 'disabled';
  @CredentialForAll() credential_id?: string | null;
  @CredentialsByKey() credentials?: Record<string, string | null>;
  @Capabilities() capabilities?: Capability[];
  @Nested(SignatureSettings, { optional: true })
  signature?: SignatureSettings;
  @Flag({ optional: true, description: 'True turns signature verification off' }) signature_off?: boolean;
  @Text(100, { optional: true, nullable: true, description: senderDescription }) sender?: string | null;
  @Nested(EventReadingSettings, { optional: true, nullable: true, description: 'Only for the built-in Webhook app' })
  reading?: EventReadingSettings | null;
  @OneOf(textSources, { optional: true, description: textFromDescription }) text_from?: TextFrom;
  @Whole(1_024, 26_214_400, { optional: true }) max_body_bytes?: number;
}

export class RotateToken {
  @Whole(0, 2_592_000, { optional: true, description: 'How long the old URL keeps working. Default: TOKEN_GRACE_MS' })
  grace_seconds?: number;
}
