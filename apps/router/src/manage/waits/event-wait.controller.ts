import type { WaitAnswer } from '#libs/contracts';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AskedWaitBody, EventWaitPage, EventWaitQuery, EventWaitView } from './event-wait.dto.js';
import { EventWaitService } from './event-wait.service.js';

@ApiTags('event-waits')
@Controller('api/v1/event-waits')
export class EventWaitController {
  constructor(private readonly waits: EventWaitService) {}

  @Get()
  @RequireScopes('workflows:read')
  @ApiOperation({
    operationId: 'listEventWaits',
    summary: 'Runs that wait for an event, or have waited, the last first',
  })
  @ApiOkResponse({ type: EventWaitPage })
  async list(@Caller() caller: Principal, @Query() query: EventWaitQuery): Promise<EventWaitPage> {
    const { state, run_id: runId = null, workflow_id: workflowId = null, cursor = null, limit } = query;
    const open = state === undefined ? null : state === 'open';
    const page = await this.waits.list(caller, { open, runId, workflowId, cursor, limit });
    return { ...page, data: page.data.map((row) => EventWaitView.of(row)) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequireScopes('workflows:write')
  @ApiOperation({
    operationId: 'cancelEventWait',
    summary: 'End a wait without its event: the run fails at the step, and can be redriven to wait again',
  })
  @ApiOkResponse({ type: EventWaitView })
  async cancel(@Caller() caller: Principal, @Param('id') id: string): Promise<EventWaitView> {
    return EventWaitView.of(await this.waits.cancel(caller, id));
  }
}

/** For the engine, whose runs wait. */
@ApiExcludeController()
@Controller('internal/event-waits')
@RequireScopes('service')
export class InternalEventWaitController {
  constructor(private readonly waits: EventWaitService) {}

  @Put(':id')
  ask(@Caller() caller: Principal, @Param('id') id: string, @Body() body: AskedWaitBody): Promise<WaitAnswer> {
    return this.waits.ask(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  withdraw(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.waits.withdraw(caller, id);
  }
}
