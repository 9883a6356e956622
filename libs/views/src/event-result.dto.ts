import { type EventResult, eventResults, type EventResultState } from '#libs/journal';
import { ApiProperty } from '@nestjs/swagger';

export class EventResultView implements EventResult {
  @ApiProperty({ enum: eventResults }) state: EventResultState;
  @ApiProperty({ type: String, nullable: true, description: 'A code: why it failed, waits or sent nothing' })
  reason: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'Until when it waits' })
  until: string | null;
  @ApiProperty({ description: 'State and reason in words' }) text: string;
}
