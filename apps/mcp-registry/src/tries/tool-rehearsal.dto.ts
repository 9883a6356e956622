import { toolGrades } from '#libs/contracts';
import { anyObject, idOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { EffectErrorView } from '../tools/agent-effect.dto.js';

/** `alone`: the agent makes such a call by itself; `asks`: a person approves it first; `never`: it has no such call. */
export const callRights = ['alone', 'asks', 'never'] as const;
export type CallRight = (typeof callRights)[number];

export class RehearsedHeader {
  @ApiProperty() name: string;
  @ApiProperty({ description: 'Of a secret only a mask' }) value: string;
}

export class RehearsedRequest {
  @ApiProperty({ example: 'POST' }) method: string;
  @ApiProperty() url: string;
  @ApiProperty({ type: [RehearsedHeader], description: 'Without what belongs to the connection and its session' })
  headers: RehearsedHeader[];
  @ApiProperty({ ...anyObject, description: 'JSON-RPC, without its id and what the protocol adds to it' })
  body: Record<string, unknown>;
}

export class RehearsedCredential {
  @ApiProperty(idOf('cred')) credential_id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'By which name the source asks for it; null: the credential of the MCP server',
  })
  as: string | null;
}

export class RehearsedAgent {
  @ApiProperty(idOf('agt')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({
    enum: callRights,
    description:
      'Whether the agent makes such a call in a turn of an admitted sender: alone, asks (a person approves it first), never',
  })
  call: CallRight;
}

/** What a call of a tool would send. Nothing was sent, and no credential was opened. */
export class ToolRehearsalView {
  @ApiProperty({ type: EffectErrorView, nullable: true, description: 'Why the call would not be made; null: it would' })
  refused: EffectErrorView | null;
  @ApiProperty({ type: [String], description: 'What is wrong with the arguments, by the schema of the tool' })
  problems: string[];
  @ApiProperty({
    type: RehearsedRequest,
    nullable: true,
    description: 'Null: of a Python tool, whose code makes its requests when it runs',
  })
  request: RehearsedRequest | null;
  @ApiProperty({ type: [RehearsedCredential] }) credentials: RehearsedCredential[];
  @ApiProperty({ enum: toolGrades }) grade: string;
  @ApiProperty({ type: [RehearsedAgent], description: 'The first of the agents that have the tool, by name' })
  agents: RehearsedAgent[];
  @ApiProperty({ type: 'integer', description: 'Agents that are not listed' }) more_agents: number;
  @ApiProperty({
    type: EffectErrorView,
    nullable: true,
    description: 'Not null: the engine does not answer, so the list is empty',
  })
  agents_error: EffectErrorView | null;
}
