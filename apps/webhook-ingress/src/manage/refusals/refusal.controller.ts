import { Caller, pageOf, OneOf, OrderedQuery, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RefusalPage } from './refusal.dto.js';
import { RefusalListRepository } from './refusal-list.repository.js';

class RefusalQuery extends OrderedQuery {
  @Text(100, { optional: true }) app_id?: string;
  @OneOf(['true', 'false'], { optional: true, description: 'Whether the same delivery came again' })
  returned?: string;
}

@ApiTags('refusals')
@Controller('api/v1/refusals')
export class RefusalController {
  constructor(private readonly refusals: RefusalListRepository) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listRefusals',
    summary: 'List webhook requests that were refused, why, and whether they came back',
  })
  @ApiOkResponse({ type: RefusalPage })
  async list(@Caller() caller: Principal, @Query() query: RefusalQuery): Promise<RefusalPage> {
    const rows = await this.refusals.list(caller.organizationId, caller.projectId, {
      appId: query.app_id ?? null,
      returned: query.returned === undefined ? null : query.returned === 'true',
      cursor: query.cursor ?? null,
      order: query.order,
      limit: query.limit + 1,
    });
    const views = rows.map(({ key_hash: _key, ...row }) => row);
    return pageOf(views, query.limit, (row) => row.id);
  }
}
