import { terminalOutcomes } from '#libs/contracts';
import { laggingPage, SaysBehind } from '#libs/list-reads';
import {
  Caller,
  IdempotencyKey,
  keyed,
  OneOf,
  OrderedQuery,
  type Principal,
  RequireScopes,
  TakesIdempotencyKey,
  Text,
  TextList,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Rerouter } from '../messages/reroute.service.js';
import { HeldRepository } from './held.repository.js';
import { MessagePage, ReleasedView } from '../messages/message.dto.js';

class HeldQuery extends OrderedQuery {
  @OneOf(terminalOutcomes, { optional: true }) outcome?: string;
  @Text(100, { optional: true }) app_id?: string;
}

class Release {
  @TextList(500, 100, { description: 'Ids of the messages to release, each once' }) message_ids: string[];
}

@ApiTags('held-messages')
@Controller('api/v1/held-messages')
export class HeldController {
  constructor(
    private readonly held: HeldRepository,
    private readonly rerouter: Rerouter,
  ) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'listHeldMessages', summary: 'List messages that were held, paused, dropped or parked' })
  @ApiOkResponse({ type: MessagePage })
  @SaysBehind()
  async list(@Caller() caller: Principal, @Query() query: HeldQuery): Promise<MessagePage> {
    const rows = await this.held.list(caller, {
      outcome: query.outcome ?? null,
      appId: query.app_id ?? null,
      cursor: query.cursor ?? null,
      order: query.order,
      limit: query.limit + 1,
    });
    return laggingPage(rows, query.limit, (row) => row.id);
  }

  @Post('release')
  @HttpCode(200)
  @RequireScopes('events:write')
  @TakesIdempotencyKey('The same key returns the same answer')
  @ApiOperation({ operationId: 'releaseMessages', summary: 'Release messages: each is routed once' })
  @ApiOkResponse({ type: ReleasedView })
  release(
    @Caller() caller: Principal,
    @Body() { message_ids: ids }: Release,
    @IdempotencyKey() key: string | null,
  ): Promise<ReleasedView> {
    return this.rerouter.release(caller, ids, keyed(caller, key, `release ${JSON.stringify(ids)}`));
  }
}
