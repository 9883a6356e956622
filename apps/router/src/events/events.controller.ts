import type { EventSummary } from '#libs/journal';
import {
  Caller,
  Flag,
  OneOf,
  type Page,
  pageOf,
  PageQuery,
  type Principal,
  RequireScopes,
  Text,
} from '#libs/service-kit';
import { terminalOutcomes } from '#libs/contracts';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type EventDetail, EventsService } from './events.service.js';

class EventsQuery extends PageQuery {
  @Text(100, { optional: true }) app_id?: string;
  @OneOf(terminalOutcomes, { optional: true }) outcome?: string;
}

class Replay {
  @Flag({ optional: true, description: 'Send replies again (default false)' }) deliver?: boolean;
}

@ApiTags('Events')
@Controller('api/v1/events')
export class EventsController {
  constructor(@Inject(EventsService) private readonly events: EventsService) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'listEvents', summary: 'Received events, newest first, with the outcome each ended in' })
  async list(@Caller() caller: Principal, @Query() query: EventsQuery): Promise<Page<EventSummary>> {
    const rows = await this.events.list({
      organizationId: caller.organizationId,
      projectId: caller.projectId,
      limit: query.limit + 1,
      cursor: query.cursor ?? null,
      appId: query.app_id ?? null,
      outcome: query.outcome ?? null,
    });
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'getEvent', summary: 'One event with its timeline, messages and runs' })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<EventDetail> {
    return this.events.get(caller, id);
  }

  @Post(':id/replay')
  @HttpCode(202)
  @RequireScopes('events:write')
  @ApiOperation({ operationId: 'replayEvent', summary: "Route an event again by today's rules" })
  replay(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: Replay,
  ): Promise<{ replayed: 'messages' | 'receipt'; run_ids: string[] }> {
    return this.events.replay(caller, id, body.deliver ?? false);
  }
}
