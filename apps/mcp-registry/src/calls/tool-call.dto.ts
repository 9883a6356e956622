import type { McpCallContinued } from '#libs/contracts';
import { Flag, idOf, JsonObject, PageOf, Text, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { ToolCall } from './tool-call.entity.js';

export class CallTool {
  @Text(100, { minLength: 1 }) tool_id: string;
  @Text(64, { minLength: 64, description: 'Pin of the definition for which the arguments were made' }) pin: string;
  @JsonObject() arguments: Record<string, unknown>;
  @Text(200, { minLength: 1, description: "The caller's id of the call, for the record" }) call_id: string;
  @Text(100, {
    minLength: 1,
    optional: true,
    description: 'Whose session at the server it uses. Absent: that of the turn, the first part of `call_id`',
  })
  conversation?: string;
  @Whole(100, 600_000, { optional: true }) timeout_ms?: number;
  @Whole(0, 104_857_600, {
    optional: true,
    description: 'Bytes of images that the caller takes, at most MCP_IMAGE_BYTES. Absent: none',
  })
  image_bytes?: number;
  @Flag({ optional: true, description: 'The caller can wait for a task of the server' }) may_wait?: boolean;
  @Flag({ optional: true, description: 'The caller can ask the user what the server wants to know' }) may_ask?: boolean;
  @JsonObject({ optional: true, description: 'How a call goes on that waits. Absent: it is made' })
  continued?: McpCallContinued;
}

export class CallOfToolView implements Omit<ToolCall, 'pin' | 'result_bytes' | 'truncated'> {
  @ApiProperty({ description: 'Of a call of a Python tool in a turn: the turn and the step' }) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ ...idOf('mcp'), nullable: true, description: 'Null: a Python tool' }) server_id: string | null;
  @ApiProperty(idOf('tol')) tool_id: string;
  @ApiProperty() tool_name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pin of the definition for which the arguments were made; null for a Python tool in a turn',
  })
  pin: string | null;
  @ApiProperty({ description: "The caller's id of the call" }) call_id: string;
  @ApiProperty() caller: string;
  @ApiProperty() arguments_sha256: string;
  @ApiProperty({
    description: '`started`, `ok`, `waiting` (for the user, or for a task), `tool_error`, or the code of a failure',
  })
  outcome: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null for a Python tool in a turn' }) result_bytes:
    number | null;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null for a Python tool in a turn' }) truncated:
    boolean | null;
  @ApiProperty() duration_ms: number;
  @ApiProperty(time) at: Date;
}

export class CallOfToolPage extends PageOf(CallOfToolView) {}
