import type { Capability } from '#libs/adapter-sdk';
import { type TextFrom, textSources } from '#libs/contracts';
import { Flag, MayBeAbsent, Name, Nested, OneOf, Text, Whole } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { CredentialForAll, CredentialsByKey } from './app-credential.dto.js';
import { ArrayMaxSize, IsArray, IsIn, Matches } from 'class-validator';
import { signedText } from '#libs/contracts';

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

/** How the built-in Webhook app checks signatures (spec 5.5). */
export class SignatureSettings {
  @OneOf(['hmac', 'standard-webhooks']) scheme: 'hmac' | 'standard-webhooks';
  @Text(100, { optional: true, description: 'Header with the signature. Default: x-signature-256' }) header?: string;
  @OneOf(['sha256', 'sha512', 'sha1'], { optional: true }) algorithm?: 'sha256' | 'sha512' | 'sha1';
  @OneOf(['hex', 'base64'], { optional: true }) encoding?: 'hex' | 'base64';
  @Text(50, { optional: true, description: 'Text before the digest. Default: sha256=' }) prefix?: string;
  @Text(100, { optional: true, minLength: 1, description: 'Header with the time of signing, in Unix seconds (hmac)' })
  timestamp_header?: string;
  @Whole(1, 3_600, { optional: true, description: 'How far the time of signing may be off. Default: 300' })
  tolerance_seconds?: number;
  @Text(100, {
    optional: true,
    description: 'What is signed if timestamp_header is given. Default: {timestamp}.{body}',
  })
  @Matches(signedText, { message: 'signed_text must contain {timestamp} once and end with {body}' })
  signed_text?: string;
}

export class InstallApp {
  @Name(200) name: string;
  @OneOf(['builtin', 'adapter']) kind: 'builtin' | 'adapter';
  @Text(100, { optional: true, description: 'Required when kind is adapter' }) adapter_id?: string;
  @CredentialForAll() credential_id?: string | null;
  @CredentialsByKey() credentials?: Record<string, string | null>;
  @Capabilities() capabilities?: Capability[];
  @Nested(SignatureSettings, { optional: true, description: 'Signature verification of the built-in Webhook app' })
  signature?: SignatureSettings;
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
  @OneOf(textSources, { optional: true, description: textFromDescription }) text_from?: TextFrom;
  @Whole(1_024, 26_214_400, { optional: true }) max_body_bytes?: number;
}

export class RotateToken {
  @Whole(0, 2_592_000, { optional: true, description: 'How long the old URL keeps working. Default: TOKEN_GRACE_MS' })
  grace_seconds?: number;
}
