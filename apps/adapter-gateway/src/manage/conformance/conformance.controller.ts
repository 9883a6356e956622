import { type ConformanceFixtures, isJsonObject } from '#libs/adapter-sdk';
import { Caller, pageOf, PageQuery, type Principal, RequireScopes, Problem } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BeginConformanceRun, ConformanceRunPage, ConformanceRunView } from './conformance.dto.js';
import { ConformanceService } from './conformance.service.js';

/** Kinds of the fields of `conformance.json`; the kit checks their contents. */
const kinds: Record<keyof ConformanceFixtures, 'object' | 'list'> = {
  credentials: 'object',
  public_credentials: 'list',
  self: 'object',
  webhooks: 'object',
  deliver: 'object',
  format: 'list',
  sources: 'object',
  provider: 'object',
  not_applicable: 'object',
};

@ApiTags('adapters')
@Controller('api/v1/adapters/:id/conformance-runs')
export class ConformanceController {
  constructor(private readonly conformance: ConformanceService) {}

  @Post()
  @HttpCode(202)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'beginConformanceRun',
    summary: 'Start a conformance run of an adapter; it continues in the background',
    description: 'Makes real calls to the adapter, among them `/deliver` if the fixtures name an address.',
  })
  @ApiAcceptedResponse({ type: ConformanceRunView })
  begin(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: BeginConformanceRun,
  ): Promise<ConformanceRunView> {
    return this.conformance.begin(caller, id, readFixtures(body.fixtures ?? {}));
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listConformanceRuns', summary: 'Conformance runs of an adapter, newest first' })
  @ApiOkResponse({ type: ConformanceRunPage })
  async list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ConformanceRunPage> {
    const rows = await this.conformance.list(caller, id, query.cursor ?? null, query.limit + 1);
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':runId')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getConformanceRun', summary: 'Progress of a conformance run, and what failed' })
  @ApiOkResponse({ type: ConformanceRunView })
  get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('runId') runId: string,
  ): Promise<ConformanceRunView> {
    return this.conformance.get(caller, id, runId);
  }
}

/** @throws Problem 422 `invalid_fields` for an unknown field or another kind; sample files cannot be read here */
function readFixtures(given: Record<string, unknown>): ConformanceFixtures {
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name as keyof ConformanceFixtures] : null;
    if (kind === null) return [{ field: `fixtures.${name}`, message: 'is not a field of conformance.json' }];
    const fits = kind === 'list' ? Array.isArray(value) : isJsonObject(value);
    return fits ? [] : [{ field: `fixtures.${name}`, message: `must be ${kind === 'list' ? 'a list' : 'an object'}` }];
  });
  if (problems.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', problems);
  return given;
}
