import { anyObject } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type Check, type CheckId, checkNames, type CheckStatus, checkStatuses } from './check.js';

/** One check of Verify. */
export class CheckView implements Check {
  @ApiProperty({ enum: Object.keys(checkNames) }) id: CheckId;
  @ApiProperty() name: string;
  @ApiProperty({ enum: checkStatuses, description: 'skipped: it could not be checked' }) status: CheckStatus;
  @ApiProperty({ description: 'What was found, for people' }) sentence: string;
  @ApiProperty({ type: 'integer', nullable: true }) took_ms: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Where it failed' }) what_to_do: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What was sent and what came back' })
  details: string | null;
}

/** The result of Verify. A call without an answer is a result too. */
export class VerifiedAppView {
  @ApiProperty({ description: 'Whether the credentials are accepted' }) ok: boolean;
  @ApiProperty({ description: 'Whether no check failed' }) passed: boolean;
  @ApiProperty({ type: [CheckView], description: 'The whole checklist, in its order' }) checks: CheckView[];
  @ApiProperty({ required: false, description: 'To whom the credentials belong; present if `ok` is true' })
  user?: string;
  @ApiProperty({ ...anyObject, selfRequired: false, description: 'The account, as the adapter describes it' })
  account?: object;
  @ApiProperty({ type: [String], required: false }) warnings?: string[];
  @ApiProperty({
    required: false,
    description: 'auth_failed: the credentials are refused; any other code: they could not be checked',
  })
  code?: string;
  @ApiProperty({ required: false, description: 'The cause, in words' }) error?: string;
  @ApiProperty({ type: [String], required: false, description: 'Keys of the declarations, for missing_credentials' })
  missing?: string[];
}
