import { SaysBehind } from '#libs/list-reads';
import {
  Caller,
  Flag,
  IdempotencyKey,
  type Principal,
  Problem,
  RequireScopes,
  TakesIdempotencyKey,
  Text,
  Whole,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EventFilter } from './event-filter.js';
import { EventSearch } from './event-search.service.js';
import { EventService } from './event.service.js';
import type { ReplayTarget } from './replay-targets.js';
import { Replayer } from './replayer.js';
import { EventDetailView, EventPage, ReplayedEventView } from './event.dto.js';

class Replay {
  @Flag({ optional: true, description: 'true: send replies and make all calls again; false (default): a rehearsal' })
  deliver?: boolean;
  @Whole(1, 2_147_483_647, {
    optional: true,
    description: 'Run only this workflow, whatever the rules say; needs workflows:write',
  })
  workflow_id?: number;
  @Text(100, {
    optional: true,
    description: 'Run only a turn of this agent, in its own session; needs agents:write. Not together with workflow_id',
  })
  agent_id?: string;
}

@ApiTags('events')
@Controller('api/v1/events')
export class EventController {
  constructor(
    private readonly events: EventService,
    private readonly searching: EventSearch,
    private readonly replayer: Replayer,
  ) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listEvents',
    summary: 'List received events, each with its outcome',
    description:
      'When searching by text, sender or event type, a page may be short: continue while there is a next_cursor.',
  })
  @ApiOkResponse({ type: EventPage })
  @SaysBehind()
  list(@Caller() caller: Principal, @Query() filter: EventFilter): Promise<EventPage> {
    return this.searching.list(caller, filter);
  }

  @Get(':id')
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'getEvent', summary: 'Read an event with its timeline, messages and runs' })
  @ApiOkResponse({ type: EventDetailView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<EventDetailView> {
    return this.events.get(caller, id);
  }

  @Post(':id/replay')
  @HttpCode(202)
  @RequireScopes('events:write')
  @TakesIdempotencyKey('The same key returns the same runs')
  @ApiOperation({ operationId: 'replayEvent', summary: "Replay an event by today's rules, or to one target" })
  @ApiAcceptedResponse({ type: ReplayedEventView })
  replay(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: Replay,
    @IdempotencyKey() key: string | null,
  ): Promise<ReplayedEventView> {
    return this.replayer.replay(caller, id, { deliver: body.deliver ?? false, target: targetOf(body) }, key);
  }
}

/** @throws Problem 422 when both are given */
function targetOf({ workflow_id: workflowId, agent_id: agentId }: Replay): ReplayTarget | null {
  if (workflowId !== undefined && agentId !== undefined) {
    const message = 'cannot be combined with workflow_id: a replay has one target';
    throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field: 'agent_id', message }]);
  }
  if (workflowId !== undefined) return { workflowId };
  return agentId === undefined ? null : { agentId };
}
