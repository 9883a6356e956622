import type { LeftOutTool } from '#libs/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A tool that no model gets. */
export class LeftOutToolView implements LeftOutTool {
  @ApiPropertyOptional({ description: '`builtin:<name>` of a built-in' }) id?: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true, description: 'Slug of its Skill; null: the agent has it directly' })
  skill: string | null;
  @ApiProperty({ description: 'A code: `quarantined`, `turned_off`, `over_may_do`, `over_limit`, `not_for_sender`, …' })
  reason: string;
  @ApiProperty({ description: 'What to do about it, in a sentence' }) what_to_do: string;
}
