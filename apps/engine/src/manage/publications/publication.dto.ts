import { idOf, Text, TextList, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { Publication } from '../../entities/agent-task.entity.js';

const nameDescription = "For callers' models: the tool that asks it over MCP is `ask_<name>`. Once in the project";
const descriptionDescription = 'For callers and their models: what to ask the agent, and what it answers';
const examplesDescription = 'What one may ask it, in words';

export class Publish {
  @Matches(/^[a-z][a-z0-9_]{0,47}$/, { message: 'lower-case letters, digits and _, at most 48, first a letter' })
  @Text(48, { description: nameDescription })
  name: string;
  @Text(2_000, { minLength: 1, description: descriptionDescription }) description: string;
  @TextList(10, 500, { optional: true, description: examplesDescription }) examples?: string[];
}

export class PublicationView {
  @ApiProperty(idOf('agt')) agent_id: string;
  @ApiProperty({ description: nameDescription }) name: string;
  @ApiProperty({ description: descriptionDescription }) description: string;
  @ApiProperty({ type: [String], description: examplesDescription }) examples: string[];
  @ApiProperty({ description: 'Where A2A clients find the signed card of the agent' }) card_url: string;
  @ApiProperty({ description: 'Where A2A clients ask it, with an API key that has agents:ask' }) a2a_url: string;
  @ApiProperty({ description: 'Where MCP clients ask the published agents of the project' }) mcp_url: string;
  @ApiProperty({ description: 'user:<id> or key:<id>' }) published_by: string;
  @ApiProperty(time) published_at: Date;
}

export function publicationView(row: Publication, publicUrl: string): PublicationView {
  const { agent_id, name, description, examples, published_by, published_at } = row;
  const a2a_url = a2aUrlOf(publicUrl, agent_id);
  return {
    agent_id,
    name,
    description,
    examples,
    card_url: `${a2a_url}/.well-known/agent-card.json`,
    a2a_url,
    mcp_url: `${new URL(publicUrl).origin}/mcp`,
    published_by,
    published_at,
  };
}

export function a2aUrlOf(publicUrl: string, agentId: string): string {
  return `${new URL(publicUrl).origin}/a2a/${agentId}`;
}
