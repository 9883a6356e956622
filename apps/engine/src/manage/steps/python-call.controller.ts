import { Caller, type Principal, RequireScopes, Text, Whole } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { type PythonCall, ToolCallRepository } from '../../path/steps/tool-call.repository.js';

class PythonCallQuery {
  @Text(100, { minLength: 1 }) tool_id: string;
  @Text(100, { optional: true, description: 'Only calls before this turn, or before `seq` in it' }) turn_id?: string;
  @Type(() => Number) @Whole(0, 1_000_000, { optional: true }) seq?: number;
  /** One more than the longest page of a list. */
  @Type(() => Number) @Whole(1, 201) limit: number;
}

/** For the registry, which shows the calls of a tool: turns call Python tools without it. */
@ApiExcludeController()
@Controller('internal/python-calls')
@RequireScopes('service')
export class PythonCallController {
  constructor(private readonly calls: ToolCallRepository) {}

  @Get()
  async list(@Caller() caller: Principal, @Query() query: PythonCallQuery): Promise<{ calls: PythonCall[] }> {
    const { tool_id: toolId, turn_id: turnId = null, seq = 0, limit } = query;
    const before = turnId === null ? null : { turnId, seq };
    return { calls: await this.calls.ofPythonTool(caller, toolId, before, limit) };
  }
}
