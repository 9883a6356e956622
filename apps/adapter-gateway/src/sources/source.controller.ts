import { Caller, notFound, pageOf, PageQuery, type Principal, RequireScopes, SearchQuery } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ChangeSource, CreateSource } from './source.dto.js';
import { SourceService } from './source.service.js';
import { SyncRunRepository } from './sync-run.repository.js';
import { SourcePage, SourceView, SyncRunPage, SyncRunView } from './source-view.dto.js';

@ApiTags('sources')
@Controller('api/v1/sources')
export class SourceController {
  constructor(
    private readonly sources: SourceService,
    private readonly runs: SyncRunRepository,
  ) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'createSource',
    summary: 'Add a document source: a place at a provider whose documents are synchronised',
  })
  @ApiCreatedResponse({ type: SourceView })
  create(@Caller() caller: Principal, @Body() body: CreateSource): Promise<SourceView> {
    return this.sources.create(caller, body);
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listSources', summary: 'Document sources' })
  @ApiOkResponse({ type: SourcePage })
  async list(@Caller() caller: Principal, @Query() query: SearchQuery): Promise<SourcePage> {
    const rows = await this.sources.list(caller, query.cursor ?? null, query.limit + 1, query.search);
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getSource', summary: 'One document source' })
  @ApiOkResponse({ type: SourceView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<SourceView> {
    return this.sources.get(caller, id);
  }

  @Patch(':id')
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'changeSource', summary: 'Change a source, its schedule, or pause it' })
  @ApiOkResponse({ type: SourceView })
  change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeSource): Promise<SourceView> {
    return this.sources.change(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'deleteSource', summary: 'Delete a source with its documents and runs' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.sources.delete(caller, id);
  }

  @Post(':id/sync')
  @HttpCode(202)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'syncSource', summary: 'Synchronise now, or again after the run in progress' })
  @ApiAcceptedResponse({ type: SyncRunView })
  async sync(@Caller() caller: Principal, @Param('id') id: string): Promise<SyncRunView> {
    return SyncRunView.of(await this.sources.sync(caller, id));
  }

  @Get(':id/runs')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listSyncRuns', summary: 'Synchronisations and what they changed, newest first' })
  @ApiOkResponse({ type: SyncRunPage })
  async listRuns(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<SyncRunPage> {
    await this.sources.get(caller, id);
    const rows = await this.runs.list(id, query.cursor ?? null, query.limit + 1);
    return pageOf(
      rows.map((run) => SyncRunView.of(run)),
      query.limit,
      (row) => row.id,
    );
  }

  @Get(':id/runs/:runId')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getSyncRun', summary: 'One synchronisation' })
  @ApiOkResponse({ type: SyncRunView })
  async run(@Caller() caller: Principal, @Param('id') id: string, @Param('runId') runId: string): Promise<SyncRunView> {
    await this.sources.get(caller, id);
    const run = await this.runs.byId(runId);
    if (run?.source_id !== id) throw notFound('sync_run', runId);
    return SyncRunView.of(run);
  }
}
