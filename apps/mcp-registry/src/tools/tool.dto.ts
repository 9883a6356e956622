import { type ContentTrust, contentTrusts, toolGrades, type ToolGrade } from '#libs/contracts';
import { anyObject, anyValue, Flag, idOf, JsonObject, OneOf, SearchQuery, Text, Whole } from '#libs/service-kit';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { EffectView } from './agent-effect.dto.js';
import { toolStates } from './tool.entity.js';

export const toolSources = ['builtin', 'mcp', 'python'] as const;

export class ToolQuery extends SearchQuery {
  @OneOf(toolSources, { optional: true }) source?: (typeof toolSources)[number];
  @OneOf(toolStates, { optional: true }) state?: (typeof toolStates)[number];
  @Text(100, { optional: true, description: 'Tools of this MCP server' }) server_id?: string;
}

export class SavePythonTool {
  @Text(262_144, { minLength: 1, description: 'One public function with type hints and a docstring' }) source: string;
}

export class ChangeTool {
  @OneOf(toolGrades, { optional: true, description: 'What a call can do at most; overrides hints of the server' })
  grade?: ToolGrade;
  @Flag({ optional: true, description: 'A repeated call has no further effect' }) idempotent?: boolean;
  @OneOf(contentTrusts, {
    optional: true,
    nullable: true,
    description:
      'How far its results are trusted, as of an MCP server; null: as its server is. Of a Python tool: those for which its code made requests',
  })
  trust?: ContentTrust | null;
}

export class ApproveTool {
  @Matches(/^[0-9a-f]{64}$/, { message: 'must be the candidate_pin of the tool' })
  @Text(64, { description: 'The candidate_pin that was reviewed; any other is refused' })
  pin: string;
}

export class TryTool {
  @JsonObject() arguments: Record<string, unknown>;
  @Whole(100, 600_000, { optional: true }) timeout_ms?: number;
  @Text(100, { optional: true, description: 'Python tools: the Skill whose credentials it may use. Default: none' })
  skill_id?: string;
}

/** How a manual call ended. `ok` tells which fields are present. */
export class TryAnswer {
  @ApiProperty() ok: boolean;
  @ApiProperty({ required: false, description: 'MCP tools: the answer as text' }) content?: string;
  @ApiProperty({ required: false, description: 'MCP tools: the tool itself reports a failure' })
  is_error?: boolean;
  @ApiPropertyOptional({ ...anyObject, description: 'Of an MCP tool' })
  structured?: Record<string, unknown>;
  @ApiProperty({ ...anyValue, required: false, description: 'Python tools: what it returned' }) result?: unknown;
  @ApiProperty({ required: false, description: 'Python tools: what it printed' }) stdout?: string;
  @ApiProperty({ required: false }) truncated?: boolean;
  @ApiProperty({ required: false, description: 'Of a Python tool' }) duration_ms?: number;
  @ApiProperty({ required: false, description: 'A code' }) error?: string;
  @ApiProperty({ required: false }) message?: string;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Line of the Python source at which it failed, from 1',
  })
  line?: number;
  @ApiProperty({
    required: false,
    description: 'What the result does not show: a Python tool asked an address without a credential of its Skill',
  })
  note?: string;
  @ApiProperty({ required: false, description: 'MCP tools: the call did nothing, or may be repeated' })
  retryable?: boolean;
}

export class ToolView {
  @ApiProperty({ description: '`builtin:<name>` of a built-in tool' }) id: string;
  @ApiProperty({ enum: toolSources }) source: string;
  @ApiProperty({ ...idOf('mcp'), nullable: true }) server_id: string | null;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) title: string | null;
  @ApiProperty() description: string;
  @ApiProperty({ ...anyObject, nullable: true, description: 'A JSON Schema' }) input_schema: Record<
    string,
    unknown
  > | null;
  @ApiProperty({ enum: toolStates }) state: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it is quarantined, or what was left out of its definition',
  })
  problem: string | null;
  @ApiProperty({ enum: toolGrades }) grade: string;
  @ApiProperty() idempotent: boolean;
  @ApiProperty({
    enum: contentTrusts,
    nullable: true,
    description: 'Null: as its server; a Python or built-in tool: untrusted',
  })
  trust: ContentTrust | null;
  @ApiProperty({ type: String, nullable: true, description: 'Pin of the approved definition' }) pin: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Pin of the definition that waits for approval' })
  candidate_pin: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Only for Python tools' }) python_source: string | null;
  @ApiProperty({ type: [String], description: 'Credentials that its source asks for, by name' }) credentials: string[];
}

export class ToolChangeView extends ToolView {
  @ApiProperty({ type: EffectView, description: 'The agents that have the tool, and what their models get now' })
  effect: EffectView;
}

export class ToolPage {
  @ApiProperty({ type: [ToolView] }) data: ToolView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

export class DefinitionChange {
  @ApiProperty({ description: 'JSON Pointer into the definition' }) path: string;
  @ApiProperty({ ...anyValue, required: false, description: 'Absent: added' }) before?: unknown;
  @ApiProperty({ ...anyValue, required: false, description: 'Absent: removed' }) after?: unknown;
}

export class ToolDifference {
  @ApiProperty({ type: String, nullable: true }) pin: string | null;
  @ApiProperty({ type: String, nullable: true }) candidate_pin: string | null;
  @ApiProperty({ type: [DefinitionChange] }) changes: DefinitionChange[];
}

export class ToolVersionView {
  @ApiProperty({ type: 'integer' }) number: number;
  @ApiProperty() pin: string;
  @ApiProperty(anyObject) definition: object;
  @ApiProperty() approved_by: string;
  @ApiProperty({ format: 'date-time' }) approved_at: string;
}

export class ToolVersionList {
  @ApiProperty({ type: [ToolVersionView] }) data: ToolVersionView[];
}
