import { type Behind, behindMs, SaysBehind, withBehind } from '#libs/list-reads';
import { Caller, idOf, type Principal, Problem, RequireScopes, Text, time } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type CalledTool, type TurnPath, TurnPathRepository } from './turn-paths.repository.js';

const dayMs = 86_400_000;

class PathsQuery {
  @Text(40, { optional: true, description: 'RFC 3339; 24 hours ago when absent' }) from?: string;
}

class TurnPathView implements TurnPath {
  @ApiProperty({ description: 'An App; schedule:<id> for a schedule' }) app_id: string;
  @ApiProperty({ ...idOf('trg'), nullable: true, description: 'Null: no trigger took it' }) trigger_id: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) workflow_id: number | null;
  @ApiProperty({ ...idOf('agt'), nullable: true, description: "Null: the project's Chief of Staff" }) agent_id:
    string | null;
  @ApiProperty({ type: 'integer' }) turns: number;
  @ApiProperty({ type: 'integer' }) failed: number;
  @ApiProperty({ type: 'integer', description: 'Not ended yet' }) open: number;
}

class CalledToolView implements CalledTool {
  @ApiProperty(idOf('agt')) agent_id: string;
  @ApiProperty({ description: 'builtin, mcp or python' }) source: string;
  @ApiProperty() tool: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: a built-in tool' }) tool_id: string | null;
  @ApiProperty({ type: 'integer' }) calls: number;
  @ApiProperty({ type: 'integer' }) failed: number;
}

export class TurnPathsView implements Behind {
  @ApiProperty(time) from: Date;
  @ApiProperty({ description: 'False: there are more turns than TURN_PATH_SCAN, and the newest were counted' })
  whole: boolean;
  @ApiProperty({ type: [TurnPathView], description: 'The busiest first' }) paths: TurnPathView[];
  @ApiProperty({ type: [CalledToolView], description: 'The busiest first' }) tools: CalledToolView[];
  @ApiProperty(behindMs) behind_ms: number | null;
}

@ApiTags('usage')
@Controller('api/v1/usage')
export class TurnPathsController {
  constructor(private readonly turns: TurnPathRepository) {}

  @Get('paths')
  @RequireScopes('agents:read')
  @ApiOperation({
    operationId: 'getTurnPaths',
    summary: 'Which way messages went: how many turns by App, trigger, workflow and agent, and the tools they called',
  })
  @ApiOkResponse({ type: TurnPathsView })
  @SaysBehind()
  async paths(@Caller() caller: Principal, @Query() query: PathsQuery): Promise<TurnPathsView> {
    const from = query.from === undefined ? new Date(Date.now() - dayMs) : new Date(query.from);
    if (Number.isNaN(from.getTime())) {
      const message = 'no time: write one as 2026-01-31T12:00:00Z';
      throw new Problem(422, 'invalid_fields', 'from is no time.', [{ field: 'from', message }]);
    }
    const { value, behindMs: age } = await this.turns.since(caller, from);
    return withBehind({ value: { from, ...value }, behindMs: age });
  }
}
