import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdapterService } from '../registration/adapter.service.js';
import { AdapterHealthView, HealthQuery } from './adapter-health.dto.js';
import { AdapterHealthRepository } from './adapter-health.repository.js';

const hourMs = 3_600_000;
const stepHours = { minute: 1 / 60, hour: 1, day: 24 } as const;
const maxSteps = 1_500;

@ApiTags('adapters')
@Controller('api/v1/adapters/:id/health')
export class AdapterHealthController {
  constructor(
    private readonly adapters: AdapterService,
    private readonly health: AdapterHealthRepository,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getAdapterHealth', summary: 'Health and latency of an adapter over time' })
  @ApiOkResponse({ type: AdapterHealthView })
  async read(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: HealthQuery,
  ): Promise<AdapterHealthView> {
    const adapter = await this.adapters.get(caller, id);
    const { hours, step = stepFor(hours) } = query;
    if (hours / stepHours[step] > maxSteps) {
      throw new Problem(422, 'too_many_steps', `That is more than ${maxSteps} steps of a ${step}: use a longer step.`);
    }
    const to = new Date();
    const from = new Date(to.getTime() - hours * hourMs);
    const series = await this.health.over(adapter.id, from, to, `1 ${step}`);
    const polls = series.reduce((sum, one) => sum + one.polls, 0);
    const ready = series.reduce((sum, one) => sum + one.ready, 0);
    return { from, to, step, availability: polls === 0 ? null : ready / polls, series };
  }
}

function stepFor(hours: number): keyof typeof stepHours {
  if (hours <= 6) return 'minute';
  return hours <= 336 ? 'hour' : 'day';
}
