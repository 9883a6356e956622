import { Caller, pageOf, OrderedQuery, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RefusalLog } from './refusal.repository.js';
import { RefusalPage } from './refusal.dto.js';

class RefusalQuery extends OrderedQuery {
  @Text(100, { optional: true }) app_id?: string;
}

@ApiTags('refusals')
@Controller('api/v1/refusals')
export class RefusalController {
  constructor(private readonly refusals: RefusalLog) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'listRefusals', summary: 'List webhook requests that were refused, and why' })
  @ApiOkResponse({ type: RefusalPage })
  async list(@Caller() caller: Principal, @Query() query: RefusalQuery): Promise<RefusalPage> {
    const rows = await this.refusals.list(caller.organizationId, caller.projectId, {
      appId: query.app_id ?? null,
      cursor: query.cursor ?? null,
      order: query.order,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => row.id);
  }
}
