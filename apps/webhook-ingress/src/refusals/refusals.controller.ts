import { Caller, type Page, pageOf, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Refusal } from './refusal.entity.js';
import { RefusalLog } from './refusal.repository.js';

@ApiTags('Events')
@Controller('api/v1/refusals')
export class RefusalsController {
  constructor(@Inject(RefusalLog) private readonly refusals: RefusalLog) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'listRefusals', summary: 'Webhook requests that were refused, and why' })
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<Refusal>> {
    const rows = await this.refusals.list(
      caller.organizationId,
      caller.projectId,
      query.limit + 1,
      query.cursor ?? null,
    );
    return pageOf(rows, query.limit, (row) => row.id);
  }
}
