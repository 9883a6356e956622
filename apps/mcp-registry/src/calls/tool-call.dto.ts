import { anyObject, idOf, JsonObject, PageOf, Text, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { ToolCall } from './tool-call.entity.js';

export class CallTool {
  @Text(100, { minLength: 1 }) tool_id: string;
  @Text(64, { minLength: 64, description: 'Of the definition that the arguments were made for' }) pin: string;
  @JsonObject() arguments: Record<string, unknown>;
  @Text(200, { minLength: 1, description: "The caller's name of the call, for the record" }) call_id: string;
  @Whole(100, 600_000, { optional: true }) timeout_ms?: number;
}

export class McpCallView implements ToolCall {
  @ApiProperty(idOf('tcl')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('mcp')) server_id: string;
  @ApiProperty(idOf('tol')) tool_id: string;
  @ApiProperty() tool_name: string;
  @ApiProperty({ description: 'Of the definition that the arguments were made for' }) pin: string;
  @ApiProperty({ description: "The caller's own name of the call" }) call_id: string;
  @ApiProperty() caller: string;
  @ApiProperty() arguments_sha256: string;
  @ApiProperty({ description: '`started`, `ok`, `tool_error`, or the code of what went wrong' }) outcome: string;
  @ApiProperty({ type: 'integer' }) result_bytes: number;
  @ApiProperty() truncated: boolean;
  @ApiProperty() duration_ms: number;
  @ApiProperty(time) at: Date;
}

export class McpCallPage extends PageOf(McpCallView) {}

/** What a tool that was called by hand answered; a call that failed is an answer too. */
export class TriedToolView {
  @ApiProperty() ok: boolean;
  @ApiProperty({ required: false, description: 'There when `ok` is true, with the next two' }) content?: string;
  @ApiProperty({ required: false, description: 'The tool says that it failed' }) is_error?: boolean;
  @ApiProperty({ required: false, description: 'Whether its answer was cut' }) truncated?: boolean;
  @ApiProperty({ ...anyObject, selfRequired: false }) structured?: Record<string, unknown>;
  @ApiProperty({ required: false, description: 'There when `ok` is false, with the next two' }) error?: string;
  @ApiProperty({ required: false }) message?: string;
  @ApiProperty({ required: false }) retryable?: boolean;
}
