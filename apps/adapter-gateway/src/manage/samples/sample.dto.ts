import { anyObject, Flag, idOf, JsonObject, OneOf, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type SampleKind, sampleKinds } from './sign-sample.js';

const kindDescription =
  'signed (default): signed as the provider does; unsigned if the App checks no signature. tampered: changed after it ' +
  'was signed. stale: signed too long ago';

/**
 * At most one of `body`, `event_id` and `event_type`. None: a greeting for the built-in Webhook app, else the
 * manifest's first sample.
 */
export class SendSample {
  @OneOf(sampleKinds, { optional: true, description: kindDescription }) kind?: SampleKind;
  @Text(262_144, { optional: true, description: 'The body, byte for byte' }) body?: string;
  @Text(100, { optional: true, description: 'The body of a stored event; needs events:read_body' }) event_id?: string;
  @Text(200, { optional: true, description: 'The sample that the manifest gives for this type of event' })
  event_type?: string;
  @Text(200, { optional: true, minLength: 1, description: 'Default: application/json' }) content_type?: string;
  @JsonObject({ optional: true, description: 'More headers, by name; each value is a string' })
  headers?: Record<string, unknown>;
  @Flag({
    optional: true,
    description: 'True: it is checked and answered but not processed; its event ends as `verification`',
  })
  verification_only?: boolean;
}

export class SentSampleView {
  @ApiProperty({ enum: ['GET', 'POST'] }) method: 'GET' | 'POST';
  @ApiProperty({ format: 'uri' }) url: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) headers: Record<string, string>;
  @ApiProperty() body: string;
}

export class SampleAnswerView {
  @ApiProperty({ type: 'integer' }) status: number;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) headers: Record<string, string>;
  @ApiProperty({ description: 'The first part of it' }) body: string;
}

export class SampleErrorView {
  @ApiProperty() code: string;
  @ApiProperty() detail: string;
}

/** A sample as it was sent, and what came back. */
export class SampleView {
  @ApiProperty({ enum: sampleKinds }) kind: SampleKind;
  @ApiProperty({ type: SentSampleView }) sent: SentSampleView;
  @ApiProperty({ type: SampleAnswerView, nullable: true, description: 'Null: no answer' })
  answer: SampleAnswerView | null;
  @ApiProperty({ type: SampleErrorView, nullable: true, description: 'Why there was no answer' })
  error: SampleErrorView | null;
  @ApiProperty({ type: 'integer' }) took_ms: number;
  @ApiProperty({ ...idOf('evt'), nullable: true, description: 'The event that it became; null: it was refused' })
  event_id: string | null;
  @ApiProperty({ description: 'Whether that event already existed' }) duplicate: boolean;
}

/** A body that the manifest gives as a sample. */
export class AvailableSampleView {
  @ApiProperty() event_type: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, description: 'Headers that it needs' })
  headers: Record<string, string>;
  @ApiProperty({ description: 'As it would be sent' }) body: string;
}

/** What can be sent to an App as its provider would. */
export class AvailableSamplesView {
  @ApiProperty({ enum: sampleKinds, isArray: true, description: 'Kinds that its signature scheme allows' })
  kinds: SampleKind[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why samples cannot be signed; null: they can, or need not be',
  })
  cannot_sign: string | null;
  @ApiProperty({ ...anyObject, nullable: true, description: 'How requests are signed; null: no scheme is declared' })
  signature: object | null;
  @ApiProperty({ type: [AvailableSampleView] }) data: AvailableSampleView[];
}
