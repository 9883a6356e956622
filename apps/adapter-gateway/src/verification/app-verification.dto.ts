import { anyObject } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type Check, type CheckId, checkNames, type CheckStatus, checkStatuses } from './check.js';

/** One check of Verify. */
export class CheckView implements Check {
  @ApiProperty({ enum: Object.keys(checkNames) }) id: CheckId;
  @ApiProperty() name: string;
  @ApiProperty({ enum: checkStatuses, description: 'skipped: it could not be found out' }) status: CheckStatus;
  @ApiProperty({ description: 'What was found, for people' }) sentence: string;
  @ApiProperty({ type: 'integer', nullable: true }) took_ms: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Where it failed' }) what_to_do: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What was sent and what came back, to copy' })
  details: string | null;
}

/** The result of Verify. A call without an answer is a result too. */
export class VerifiedAppView {
  @ApiProperty({ description: 'Whether the credentials are accepted' }) ok: boolean;
  @ApiProperty({ description: 'Whether no check failed' }) passed: boolean;
  @ApiProperty({ type: [CheckView], description: 'The whole checklist, in its order' }) checks: CheckView[];
  @ApiProperty({ required: false, description: 'Whose the credentials are; there when `ok` is true' }) user?: string;
  @ApiProperty({ ...anyObject, selfRequired: false, description: 'Who that is, in the words of the adapter' })
  account?: object;
  @ApiProperty({ type: [String], required: false }) warnings?: string[];
  @ApiProperty({
    required: false,
    description: 'auth_failed: the credentials are refused; every other code says nothing of them',
  })
  code?: string;
  @ApiProperty({ required: false, description: 'The cause, in words' }) error?: string;
  @ApiProperty({ type: [String], required: false, description: 'Keys of declarations; of missing_credentials' })
  missing?: string[];
}
