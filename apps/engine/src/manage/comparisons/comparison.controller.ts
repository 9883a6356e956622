import {
  Caller,
  IdempotencyKey,
  PageQuery,
  type Principal,
  RequireScopes,
  TakesIdempotencyKey,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  caseView,
  ComparisonCasePage,
  ComparisonPage,
  comparisonView,
  ComparisonView,
  NewComparisonBody,
} from './comparison.dto.js';
import { ComparisonService } from './comparison.service.js';

@ApiTags('agents')
@Controller('api/v1/agents/:id/comparisons')
export class ComparisonController {
  constructor(private readonly comparisons: ComparisonService) {}

  @Post()
  @HttpCode(202)
  @RequireScopes('agents:write', 'events:read')
  @TakesIdempotencyKey('The same key gives the same comparison')
  @ApiOperation({
    operationId: 'beginComparison',
    summary: 'Compare two versions of an agent on messages that it has answered; nothing is sent',
  })
  @ApiAcceptedResponse({ type: ComparisonView })
  async begin(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Body() body: NewComparisonBody,
    @IdempotencyKey() key: string | null,
  ): Promise<ComparisonView> {
    return comparisonView(await this.comparisons.begin(caller, agentId, body, key));
  }

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'listComparisons', summary: 'Comparisons of an agent’s versions, newest first' })
  @ApiOkResponse({ type: ComparisonPage })
  async list(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Query() query: PageQuery,
  ): Promise<ComparisonPage> {
    const page = await this.comparisons.list(caller, agentId, query);
    return { ...page, data: page.data.map(comparisonView) };
  }

  @Get(':comparison')
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'getComparison', summary: 'Read a comparison: its progress and its totals' })
  @ApiOkResponse({ type: ComparisonView })
  async get(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Param('comparison') id: string,
  ): Promise<ComparisonView> {
    return comparisonView(await this.comparisons.get(caller, agentId, id));
  }

  @Get(':comparison/cases')
  @RequireScopes('agents:read', 'events:read')
  @ApiOperation({ operationId: 'listComparisonCases', summary: 'Both answers of each case, with what they took' })
  @ApiOkResponse({ type: ComparisonCasePage })
  async cases(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Param('comparison') id: string,
    @Query() query: PageQuery,
  ): Promise<ComparisonCasePage> {
    const page = await this.comparisons.casesOf(caller, agentId, id, query);
    return { ...page, data: page.data.map(caseView) };
  }

  @Post(':comparison/cancel')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'cancelComparison', summary: 'End the cases of a comparison that are still open' })
  @ApiOkResponse({ type: ComparisonView })
  async cancel(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Param('comparison') id: string,
  ): Promise<ComparisonView> {
    return comparisonView(await this.comparisons.cancel(caller, agentId, id));
  }
}
