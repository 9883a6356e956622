import { type ToolGrade, toolGrades } from '#libs/contracts';
import { anyValue, PageOf, Text, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { isDeepStrictEqual } from 'node:util';
import {
  type Agent,
  type AgentCaps,
  type AgentFields,
  agentFields,
  type AgentGrant,
  type AgentVersion,
} from '../../entities/agent.entity.js';
import { AgentCapsBody, AgentGrantBody, UpdateAgent } from './agent.dto.js';
import type { ListedVersion } from './agent-version.repository.js';

/** The fields that are not given stay as they are in the version that it is based on. */
export class NewDraft extends UpdateAgent {
  @Whole(1, 2_147_483_647, {
    optional: true,
    description: 'The version that it starts from; default: the one in force',
  })
  based_on?: number;
}

export class Promotion {
  @Text(500, { optional: true, description: 'Why, for the list of versions' }) note?: string;
  @Whole(1, 2_147_483_647, {
    optional: true,
    description: 'The version that it replaces: 409 if another one is in force by now. Default: any',
  })
  instead_of?: number;
}

const states = ['in_force', 'draft', 'earlier'] as const;

export class AgentVersionView {
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ enum: states, description: 'draft: it was never in force' }) state: (typeof states)[number];
  @ApiProperty({ type: 'integer', nullable: true, description: 'The version that it was made from' }) based_on:
    number | null;
  @ApiProperty({ enum: agentFields, isArray: true, description: 'Fields that differ from that version, if it is kept' })
  changed: string[];
  @ApiProperty() note: string;
  @ApiProperty({ type: String, nullable: true, description: 'key:<id> or user:<id>; null: Gatehouse' }) made_by:
    string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, nullable: true, description: 'Who put it in force last' }) promoted_by: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) promoted_at: string | null;
}

export class AgentVersionPage extends PageOf(AgentVersionView) {}

export class AgentFieldsView implements AgentFields {
  @ApiProperty() name: string;
  @ApiProperty() instructions: string;
  @ApiProperty({ type: String, nullable: true }) model: string | null;
  @ApiProperty({ type: String, nullable: true }) fallback_model: string | null;
  @ApiProperty({ type: [String] }) tools: string[];
  @ApiProperty({ type: [String] }) skills: string[];
  @ApiProperty({ type: [String] }) python_tools: string[];
  @ApiProperty({ type: [AgentGrantBody] }) agents: AgentGrant[];
  @ApiProperty({ enum: toolGrades }) may_do: ToolGrade;
  @ApiProperty({ type: [String] }) approvers: string[];
  @ApiProperty() approvers_decide_own: boolean;
  @ApiProperty({ type: [String] }) allowed_hosts: string[];
  @ApiProperty({ type: AgentCapsBody }) caps: AgentCaps;
}

export class AgentVersionDetail extends AgentVersionView {
  @ApiProperty({ type: AgentFieldsView }) fields: AgentFieldsView;
}

export class AgentDifference {
  @ApiProperty({ enum: agentFields }) field: string;
  @ApiProperty({ ...anyValue, description: 'As it is in the version compared with' }) before: unknown;
  @ApiProperty({ ...anyValue, description: 'As it is in this version' }) after: unknown;
}

export class AgentDifferences {
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ type: 'integer' }) compared_with: number;
  @ApiProperty({ type: [AgentDifference] }) differences: AgentDifference[];
}

export function versionView(agent: Agent, row: ListedVersion): AgentVersionView {
  const { version, based_on, before, fields, note, made_by, created_at, promoted_by, promoted_at } = row;
  return {
    version,
    state: version === agent.version ? 'in_force' : promoted_at === null ? 'draft' : 'earlier',
    based_on,
    changed: before ? differencesOf(before, fields).map(({ field }) => field) : [],
    note,
    made_by,
    created_at: created_at.toISOString(),
    promoted_by,
    promoted_at: promoted_at?.toISOString() ?? null,
  };
}

export function versionDetail(agent: Agent, row: AgentVersion, before: AgentFields | null): AgentVersionDetail {
  return { ...versionView(agent, { ...row, before }), fields: row.fields };
}

export function differencesOf(before: AgentFields, after: AgentFields): AgentDifference[] {
  return agentFields.flatMap((field) =>
    isDeepStrictEqual(before[field], after[field]) ? [] : [{ field, before: before[field], after: after[field] }],
  );
}
