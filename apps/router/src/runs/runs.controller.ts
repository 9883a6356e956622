import {
  Caller,
  notFound,
  OneOf,
  type Page,
  pageOf,
  PageQuery,
  type Principal,
  RequireScopes,
  Whole,
} from '#libs/service-kit';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import type { RunRow } from './run.entity.js';
import { RunRepository } from './run.repository.js';

class RunQuery extends PageQuery {
  @Type(() => Number) @Whole(1, 2_147_483_647, { optional: true }) workflow_id?: number;
  @OneOf(['suspended', 'queued', 'succeeded', 'failed'], { optional: true }) state?: string;
}

@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunsController {
  constructor(@Inject(RunRepository) private readonly runs: RunRepository) {}

  @Get()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listRuns', summary: 'Runs, newest first' })
  async list(@Caller() caller: Principal, @Query() query: RunQuery): Promise<Page<RunRow>> {
    const rows = await this.runs.list(caller.organizationId, caller.projectId, {
      workflowId: query.workflow_id ?? null,
      state: query.state ?? null,
      cursor: query.cursor ?? null,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'getRun', summary: 'One run' })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<RunRow> {
    const row = await this.runs.find(caller.organizationId, caller.projectId, id);
    if (!row) throw notFound('run', id);
    return row;
  }
}
