import { Caller, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { MessageRatesService } from './message-rates.service.js';

class StateCountsQuery {
  @Text(40, { minLength: 1, description: 'Received at this time or later (RFC 3339)' }) since: string;
}

class StateCount {
  @ApiProperty({ description: 'As lists of events show it' }) state: string;
  @ApiProperty({ type: 'integer' }) count: number;
}

class StateCountsView {
  @ApiProperty({ type: [StateCount], description: 'The most frequent first' }) data: StateCount[];
  @ApiProperty({ description: 'There are more events: only the newest are counted' }) cut: boolean;
}

@ApiTags('statistics')
@Controller('api/v1/statistics')
export class StateCountsController {
  constructor(private readonly rates: MessageRatesService) {}

  @Get('states')
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'stateCounts',
    summary: 'Events since a time, counted by the state that lists show',
    description: 'Of many events the newest 1,000 count. Requests of Verify and handshakes do not.',
  })
  @ApiOkResponse({ type: StateCountsView })
  async read(@Caller() caller: Principal, @Query() { since }: StateCountsQuery): Promise<StateCountsView> {
    const { states, cut } = await this.rates.states(caller, since);
    const groups = [...Map.groupBy(states, ({ state }) => state)];
    const data = groups.map(([state, events]) => ({ state, count: events.length }));
    return { data: data.toSorted((a, b) => b.count - a.count), cut };
  }
}
