import type { Capability } from '#libs/adapter-sdk';
import { Flag, JsonObject, MayBeAbsent, OneOf, Text, Whole } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, ValidateNested } from 'class-validator';

/** Those of the adapter's capabilities that an App uses; all when absent. */
export const Capabilities = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ enum: ['send', 'receive'], isArray: true, required: false, description: 'All, when absent' }),
    MayBeAbsent(),
    IsArray(),
    ArrayMaxSize(2),
    IsIn(['send', 'receive'], { each: true }),
  );

/** How the built-in Webhook app checks signatures (spec 5.5). */
export class SignatureSettings {
  @OneOf(['hmac', 'standard-webhooks']) scheme: 'hmac' | 'standard-webhooks';
  @Text(100, { optional: true, description: 'Header with the signature; x-signature-256 when absent' }) header?: string;
  @OneOf(['sha256', 'sha512', 'sha1'], { optional: true }) algorithm?: 'sha256' | 'sha512' | 'sha1';
  @OneOf(['hex', 'base64'], { optional: true }) encoding?: 'hex' | 'base64';
  @Text(50, { optional: true, description: 'Before the digest; sha256= when absent' }) prefix?: string;
}

export class InstallApp {
  @Text(200, { minLength: 1 }) name: string;
  @OneOf(['builtin', 'adapter']) kind: 'builtin' | 'adapter';
  @Text(100, { optional: true, description: 'Required when kind is adapter' }) adapter_id?: string;
  @Text(100, {
    optional: true,
    nullable: true,
    description: 'The credential handed to the adapter, or with signing_secret',
  })
  credential_id?: string | null;
  @Capabilities() capabilities?: Capability[];
  @JsonObject({ optional: true, description: 'Signature verification of the built-in Webhook app' })
  @ValidateNested()
  @Type(() => SignatureSettings)
  signature?: SignatureSettings;
  @Whole(1_024, 26_214_400, { optional: true }) max_body_bytes?: number;
}

export class ChangeApp {
  @Text(200, { optional: true, minLength: 1 }) name?: string;
  @OneOf(['active', 'paused', 'disabled'], { optional: true }) state?: 'active' | 'paused' | 'disabled';
  @Text(100, { optional: true, nullable: true }) credential_id?: string | null;
  @JsonObject({ optional: true })
  @ValidateNested()
  @Type(() => SignatureSettings)
  signature?: SignatureSettings;
  @Flag({ optional: true, description: 'True turns signature verification off' }) signature_off?: boolean;
  @Whole(1_024, 26_214_400, { optional: true }) max_body_bytes?: number;
}

export class RotateToken {
  @Whole(0, 2_592_000, { optional: true, description: 'How long the old URL works on; TOKEN_GRACE_MS when absent' })
  grace_seconds?: number;
}

/** What came of Verify: `user`, `account` and `warnings` when `ok`, `code` and `error` when not. */
export class VerificationView {
  @ApiProperty() ok: boolean;
  @ApiProperty({ required: false, description: 'Whose the credentials are' }) user?: string;
  @ApiProperty({ type: Object, required: false, description: 'Who that is, in the words of the adapter' })
  account?: Record<string, unknown>;
  @ApiProperty({ type: [String], required: false }) warnings?: string[];
  @ApiProperty({
    required: false,
    description: 'auth_failed: the credentials are refused; every other code says nothing of them',
  })
  code?: string;
  @ApiProperty({ required: false, description: 'The cause, in words' }) error?: string;
}
