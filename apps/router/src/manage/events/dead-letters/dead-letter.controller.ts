import { Database } from '#libs/database';
import { listDeadLetters } from '#libs/journal';
import { Caller, IdempotencyKey, pageOf, type Principal, RequireScopes, TakesIdempotencyKey } from '#libs/service-kit';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DeadLetterFilter, deadLetterQuery } from './dead-letter-filter.js';
import { Redriver } from './redriver.js';
import { DeadLetterPage, DeadLetterView } from './dead-letter.dto.js';

@ApiTags('events')
@Controller('api/v1/events/dead-letters')
export class DeadLetterController {
  constructor(
    private readonly db: Database,
    private readonly redriver: Redriver,
  ) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listDeadLetters',
    summary: 'Events, turns and deliveries that could not be handled',
  })
  @ApiOkResponse({ type: DeadLetterPage })
  async list(@Caller() caller: Principal, @Query() filter: DeadLetterFilter): Promise<DeadLetterPage> {
    const { organizationId, projectId } = caller;
    const query = deadLetterQuery(filter);
    const rows = await listDeadLetters(this.db, { ...query, organizationId, projectId, limit: query.limit + 1 });
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'getDeadLetter', summary: 'Read a dead letter, and how it ended after it was redriven' })
  @ApiOkResponse({ type: DeadLetterView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<DeadLetterView> {
    return this.redriver.find(caller, id);
  }

  @Post(':id/redrive')
  @HttpCode(202)
  @RequireScopes('events:write')
  @TakesIdempotencyKey('The same key returns the current state of the letter, instead of 409')
  @ApiOperation({ operationId: 'redriveDeadLetter', summary: 'Redrive a dead letter; each is redriven once' })
  @ApiAcceptedResponse({ type: DeadLetterView })
  redrive(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @IdempotencyKey() key: string | null,
  ): Promise<DeadLetterView> {
    return this.redriver.redrive(caller, id, key);
  }
}
