import { type DeadLetter, type DeadLetterState, deadLetterStates } from '#libs/journal';
import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { messageSource } from '../../messages/message.dto.js';

export class DeadLetterView implements DeadLetter {
  @ApiProperty(idOf('dlt')) id: string;
  @ApiProperty(time) at: Date;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(messageSource) app_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that it belongs to' }) receipt_id: string;
  @ApiProperty({ description: 'Stage at which it failed' }) stage: string;
  @ApiProperty({ type: String, nullable: true, description: 'The turn or delivery that failed, if any' }) subject_id:
    string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Code of the failure' }) reason: string | null;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty({ enum: deadLetterStates }) state: DeadLetterState;
  @ApiProperty({ ...time, nullable: true }) redriven_at: Date | null;
  @ApiProperty({ type: String, nullable: true }) redriven_by: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'How it ended after it was redriven' }) outcome:
    string | null;
  @ApiProperty({ type: 'integer', description: 'How often its redrive was checked or sent' }) drives: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be sent again' })
  redrive_error: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'When the redrive is next checked or sent' })
  next_at: Date | null;
}

export class DeadLetterPage extends PageOf(DeadLetterView) {}
