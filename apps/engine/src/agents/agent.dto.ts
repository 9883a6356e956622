import { Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { Agent } from './agent.entity.js';

const instructionsLength = 100_000;
const toolsDescription =
  'Built-in tools the agent may call: http_request. A turn that an unverified message started may only read with it (GET).';
const modelDescription = 'A model of the configured endpoint; left out for its default';

export class CreateAgent {
  @Text(200, { minLength: 1 }) name: string;
  @Text(instructionsLength) instructions: string;
  @Text(200, { optional: true, description: modelDescription }) model?: string | null;
  @TextList(50, 100, { optional: true, description: toolsDescription }) tools?: string[];
}

export class UpdateAgent {
  @Text(200, { minLength: 1, optional: true }) name?: string;
  @Text(instructionsLength, { optional: true }) instructions?: string;
  @Text(200, { optional: true, description: modelDescription }) model?: string | null;
  @TextList(50, 100, { optional: true, description: toolsDescription }) tools?: string[];
}

export class AgentView {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty() instructions: string;
  @ApiProperty({ type: String, nullable: true }) model: string | null;
  @ApiProperty({ type: [String] }) tools: string[];
  @ApiProperty() is_chief_of_staff: boolean;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

export class AgentPage {
  @ApiProperty({ type: [AgentView] }) data: AgentView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

export function agentView(agent: Agent): AgentView {
  return {
    id: agent.id,
    name: agent.name,
    instructions: agent.instructions,
    model: agent.model,
    tools: agent.tools,
    is_chief_of_staff: agent.is_chief_of_staff,
    created_at: agent.created_at.toISOString(),
    updated_at: agent.updated_at.toISOString(),
  };
}
