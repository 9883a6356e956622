import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AppService } from '../manage/apps/app.service.js';
import { AskForMissed, MissedAskView, Outages } from './missed.dto.js';
import { MissedAskRepository } from './missed-ask.repository.js';
import { MissedService } from './missed.service.js';

@ApiTags('apps')
@Controller('api/v1/apps/:id/missed')
export class MissedController {
  constructor(
    private readonly apps: AppService,
    private readonly asks: MissedAskRepository,
    private readonly missed: MissedService,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({
    operationId: 'getMissed',
    summary: 'Whether the provider was asked for what it could not deliver, and what came of it',
  })
  @ApiOkResponse({ type: MissedAskView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<MissedAskView> {
    await this.apps.get(caller, id);
    const row = await this.asks.byApp(id);
    if (!row) throw new Problem(404, 'missed_not_asked', 'The provider of this App was not asked for anything yet.');
    const { app_id, state, since, until, due_at, ended_at, redeliveries, stored, reason, detail } = row;
    return { app_id, state, since, until, due_at, ended_at, redeliveries, stored, reason, detail };
  }

  @Post()
  @HttpCode(202)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'askForMissed', summary: 'Ask the provider for what it could not deliver since a time' })
  @ApiAcceptedResponse({ type: MissedAskView })
  async ask(@Caller() caller: Principal, @Param('id') id: string, @Body() body: AskForMissed): Promise<MissedAskView> {
    await this.apps.get(caller, id);
    const since = new Date(body.since);
    if (since.getTime() >= Date.now())
      throw new Problem(422, 'since_in_future', 'since must be a time that has passed.');
    const noted = await this.missed.note({ appId: id, since, until: new Date() }, 0);
    if (noted.length === 0) {
      const detail =
        'The provider of this App cannot be asked: its adapter sets no webhook.missed_since, or is disabled.';
      throw new Problem(409, 'missed_unsupported', detail);
    }
    return this.get(caller, id);
  }
}

@ApiExcludeController()
@Controller('internal/missed')
@RequireScopes('service')
export class OutageController {
  constructor(private readonly missed: MissedService) {}

  /** The ingress received nothing, or refused something of its own fault. Saying it twice asks once. */
  @Post()
  @HttpCode(200)
  async note(@Body() { outages }: Outages): Promise<{ apps: number }> {
    const apps = new Set<string>();
    for (const { app_id: appId, since, until } of outages) {
      const noted = await this.missed.note({ appId, since: new Date(since), until: new Date(until) });
      for (const id of noted) apps.add(id);
    }
    return { apps: apps.size };
  }
}
