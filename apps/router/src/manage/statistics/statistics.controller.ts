import { SaysBehind } from '#libs/list-reads';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MessageStatisticsView, StatisticsQuery } from './statistics.dto.js';
import { StatisticsService } from './statistics.service.js';

@ApiTags('statistics')
@Controller('api/v1/statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('messages')
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'messageStatistics',
    summary: 'Messages by outcome and how long answers, turns and deliveries took, by minute, hour or day',
  })
  @ApiOkResponse({ type: MessageStatisticsView })
  @SaysBehind()
  messages(@Caller() caller: Principal, @Query() query: StatisticsQuery): Promise<MessageStatisticsView> {
    return this.statistics.messages(caller, query);
  }
}
