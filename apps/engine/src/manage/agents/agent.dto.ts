import { builtinTools, type ToolGrade, toolGrades } from '#libs/contracts';
import { Flag, idOf, MayBeAbsent, Name, OneOf, Text, TextList, Whole } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, Matches, ValidateNested } from 'class-validator';
import type { Agent, AgentCaps, AgentGrant } from '../../entities/agent.entity.js';

const instructionsLength = 100_000;
const toolsDescription = `Built-in tools the agent may call without a Skill: ${builtinTools.map(({ name }) => name).join(', ')}`;
const modelDescription = 'A model of the configured endpoint; default: MODEL_NAME';
const fallbackDescription = 'Used when the model does not answer';
const mayDoDescription = 'What a trusted turn may do without approval; a call of a higher grade needs an approver';
const approversDescription = 'key:<id>, user:<id> or contact:<id>; empty: calls of a higher grade are not offered';
const decideOwnDescription =
  'People among its approvers may decide over calls of turns that they started, for a project of one person. The risk: ' +
  'nobody else then looks at what a text that the agent read made it ask for. Default: false';
const hostsDescription =
  'Hosts that http_request may reach in turns of untrusted senders and in turns that hold untrusted content: ' +
  'api.example.com, *.example.com or host:port. Hosts that its Skills bind credentials to are reachable too';
const hostPattern = /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i;
const AllowedHosts = (): PropertyDecorator =>
  applyDecorators(
    Matches(hostPattern, {
      each: true,
      message: 'a host, with its port if any: api.example.com, *.example.com, host:8443',
    }),
    TextList(50, 260, { optional: true, description: hostsDescription }),
  );
const day = 10_000_000_000;
const month = 1_000_000_000_000;

/** Lowers the installation's limits for this agent. Days and months are UTC, costs are in millionths. */
export class AgentCapsBody implements AgentCaps {
  @Whole(1, 100, { optional: true }) steps?: number;
  @Whole(0, 100, { optional: true }) tool_calls?: number;
  @Whole(1_000, 3_600_000, { optional: true }) wall_clock_ms?: number;
  @Whole(1, day, { optional: true }) run_tokens?: number;
  @Whole(1, day, { optional: true }) run_cost_micros?: number;
  @Whole(1, day, { optional: true }) contact_day_tokens?: number;
  @Whole(1, day, { optional: true }) contact_day_cost_micros?: number;
  @Whole(1, day, { optional: true }) day_tokens?: number;
  @Whole(1, day, { optional: true }) day_cost_micros?: number;
  @Whole(1, month, { optional: true }) contact_month_tokens?: number;
  @Whole(1, month, { optional: true }) contact_month_cost_micros?: number;
  @Whole(1, month, { optional: true }) month_tokens?: number;
  @Whole(1, month, { optional: true }) month_cost_micros?: number;
}

/** Another agent of the project that the agent may ask. */
export class AgentGrantBody implements AgentGrant {
  @ApiProperty(idOf('agt'))
  @Text(100)
  agent_id: string;
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'letters, digits, _ and -, at most 64' })
  @Text(64, { description: 'Of the tool, for the model' })
  name: string;
  @Text(2_000, { description: 'For the model: what to ask this agent, and what it answers' }) description: string;
  @OneOf(toolGrades, {
    description: 'Of a call: the most that the other agent may do in it, whatever its own may_do says',
  })
  grade: ToolGrade;
}

const grantsDescription = 'Agents of the project that it may ask: each is a tool, and each call a turn of that agent';

/** Fields for which a new agent has defaults. */
class AgentFields {
  @Text(200, { optional: true, nullable: true, description: modelDescription }) model?: string | null;
  @TextList(50, 100, { optional: true, description: toolsDescription }) tools?: string[];
  @Text(200, { optional: true, nullable: true, description: fallbackDescription }) fallback_model?: string | null;
  @TextList(50, 100, { optional: true, description: 'Ids of Skills' }) skills?: string[];
  @TextList(50, 100, { optional: true, description: 'Ids of Python tools it has without a Skill' })
  python_tools?: string[];
  @ApiProperty({ type: [AgentGrantBody], required: false, maxItems: 20, description: grantsDescription })
  @MayBeAbsent()
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => AgentGrantBody)
  agents?: AgentGrant[];
  @OneOf(toolGrades, { optional: true, description: mayDoDescription }) may_do?: ToolGrade;
  @TextList(50, 100, { optional: true, description: approversDescription }) approvers?: string[];
  @Flag({ optional: true, description: decideOwnDescription }) approvers_decide_own?: boolean;
  @AllowedHosts() allowed_hosts?: string[];
  @ApiProperty({ type: AgentCapsBody, required: false })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => AgentCapsBody)
  caps?: AgentCaps;
}

export class CreateAgent extends AgentFields {
  @Name(200) name: string;
  @Text(instructionsLength) instructions: string;
}

export class UpdateAgent extends AgentFields {
  @Name(200, { optional: true }) name?: string;
  @Text(instructionsLength, { optional: true }) instructions?: string;
  @Text(500, { optional: true, description: 'Why, for the list of versions' }) note?: string;
}

export class AgentView {
  @ApiProperty(idOf('agt')) id: string;
  @ApiProperty({ type: 'integer', description: 'In force; every change makes one' }) version: number;
  @ApiProperty() name: string;
  @ApiProperty() instructions: string;
  @ApiProperty({ type: String, nullable: true }) model: string | null;
  @ApiProperty({ type: [String] }) tools: string[];
  @ApiProperty({ type: String, nullable: true }) fallback_model: string | null;
  @ApiProperty({ type: [String] }) skills: string[];
  @ApiProperty({ type: [String] }) python_tools: string[];
  @ApiProperty({ type: [AgentGrantBody], description: grantsDescription }) agents: AgentGrant[];
  @ApiProperty({ enum: toolGrades }) may_do: ToolGrade;
  @ApiProperty({ type: [String] }) approvers: string[];
  @ApiProperty({ description: decideOwnDescription }) approvers_decide_own: boolean;
  @ApiProperty({ type: [String], description: hostsDescription }) allowed_hosts: string[];
  @ApiProperty({ type: AgentCapsBody }) caps: AgentCaps;
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
    version: agent.version,
    name: agent.name,
    instructions: agent.instructions,
    model: agent.model,
    tools: agent.tools,
    fallback_model: agent.fallback_model,
    skills: agent.skills,
    python_tools: agent.python_tools,
    agents: agent.agents,
    may_do: agent.may_do,
    approvers: agent.approvers,
    approvers_decide_own: agent.approvers_decide_own,
    allowed_hosts: agent.allowed_hosts,
    caps: agent.caps,
    is_chief_of_staff: agent.is_chief_of_staff,
    created_at: agent.created_at.toISOString(),
    updated_at: agent.updated_at.toISOString(),
  };
}
