import { LeftOutToolView } from '#libs/views';
import { ApiProperty } from '@nestjs/swagger';

export class EffectErrorView {
  @ApiProperty() code: string;
  @ApiProperty() message: string;
}

export class AgentEffectView {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: 'integer', description: 'Tools that its model gets in every step' }) offered: number;
  @ApiProperty({ type: 'integer', description: 'Tools that its model finds with find_tools' }) by_search: number;
  @ApiProperty({ type: [LeftOutToolView], description: 'The first of the tools that its model never gets' })
  left_out: LeftOutToolView[];
  @ApiProperty({ type: 'integer' }) left_out_total: number;
  @ApiProperty({ type: EffectErrorView, nullable: true }) error: EffectErrorView | null;
}

/** Which agents a change affects, and what their models are given now. */
export class EffectView {
  @ApiProperty({ type: [AgentEffectView] }) agents: AgentEffectView[];
  @ApiProperty({ type: 'integer', description: 'Agents that are not listed' }) more: number;
  @ApiProperty({
    type: EffectErrorView,
    nullable: true,
    description: 'Not null: the engine does not answer, so the list is empty',
  })
  error: EffectErrorView | null;
}
