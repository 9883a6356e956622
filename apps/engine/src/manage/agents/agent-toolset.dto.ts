import { toolGrades } from '#libs/contracts';
import { OneOf } from '#libs/service-kit';
import { LeftOutToolView } from '#libs/views';
import { ApiProperty } from '@nestjs/swagger';
import { type SenderKind, senderKinds, type ToolOverview, untrustedUses } from '../../path/tools/turn-tool.service.js';
import { AgentView } from './agent.dto.js';

export class OfferedToolView {
  @ApiProperty({ description: '`builtin:<name>` of a built-in' }) id: string;
  @ApiProperty({ description: 'Name under which the model calls it' }) name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Slug of its Skill; null: the agent has it without a Skill',
  })
  skill: string | null;
  @ApiProperty({ enum: ['builtin', 'python', 'mcp', 'agent'] }) source: string;
  @ApiProperty({ enum: toolGrades, description: 'Lowest grade that a call can have' }) grade: string;
  @ApiProperty({
    enum: untrustedUses,
    description: 'Whether a sender who is not admitted, or an event whose system was not authenticated, has it too',
  })
  for_untrusted: string;
}

export class ToolsetQuery {
  @OneOf(senderKinds, {
    optional: true,
    description:
      'Whose turn: of an admitted contact (default), of one who is not admitted (`unknown`), or of an event whose system was not authenticated (`unsigned`)',
  })
  sender?: SenderKind;
}

export class ToolsetErrorView {
  @ApiProperty() code: string;
  @ApiProperty() message: string;
}

/** The tools that an agent's model gets in the turns of one kind of sender. */
export class AgentToolsetView {
  @ApiProperty({ type: [OfferedToolView], description: 'Listed to the model in every step' })
  offered: OfferedToolView[];
  @ApiProperty({
    type: [LeftOutToolView],
    description: 'Over the number of tools that are listed to a model; found with find_tools',
  })
  by_search: LeftOutToolView[];
  @ApiProperty({ type: [LeftOutToolView], description: 'Never given to the model' }) left_out: LeftOutToolView[];
  @ApiProperty({ type: [String], description: 'Skills that cannot be used now, and why' }) problems: string[];
  @ApiProperty({
    type: ToolsetErrorView,
    nullable: true,
    description: 'Set if the tool registry does not answer; the lists are empty then',
  })
  error: ToolsetErrorView | null;
}

export class AgentDetail extends AgentView {
  @ApiProperty({ type: AgentToolsetView }) toolset: AgentToolsetView;
}

export function offeredView({
  id,
  name,
  skill,
  source,
  least,
  forUntrusted,
}: ToolOverview['offered'][number]): OfferedToolView {
  return { id: id ?? `builtin:${name}`, name, skill, source, grade: least, for_untrusted: forUntrusted };
}
