import { Caller, notFound, type Page, pageOf, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeSource, CreateSource } from './source.dto.js';
import type { SourceRow } from './source.entity.js';
import { SourcesService } from './sources.service.js';
import type { SyncRunRow } from './sync-run.entity.js';
import { SyncRunRepository } from './sync-run.repository.js';

type RunView = Omit<SyncRunRow, 'fence' | 'lease_until' | 'organization_id'>;

@ApiTags('Sources')
@Controller('api/v1/sources')
export class SourcesController {
  constructor(
    @Inject(SourcesService) private readonly sources: SourcesService,
    @Inject(SyncRunRepository) private readonly runs: SyncRunRepository,
  ) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'createSource', summary: 'Keep the documents of a place at a provider' })
  create(@Caller() caller: Principal, @Body() body: CreateSource): Promise<SourceRow> {
    return this.sources.create(caller, body);
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listSources', summary: 'Document sources' })
  async list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<SourceRow>> {
    const rows = await this.sources.list(caller, query.cursor ?? null, query.limit + 1);
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getSource', summary: 'One document source' })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<SourceRow> {
    return this.sources.get(caller, id);
  }

  @Patch(':id')
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'changeSource', summary: 'Change a source, its schedule, or pause it' })
  change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeSource): Promise<SourceRow> {
    return this.sources.change(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'deleteSource', summary: 'Delete a source with its documents and runs' })
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.sources.delete(caller, id);
  }

  @Post(':id/sync')
  @HttpCode(202)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'syncSource', summary: 'Synchronise now, or once more after the run that is open' })
  async sync(@Caller() caller: Principal, @Param('id') id: string): Promise<RunView> {
    return shown(await this.sources.sync(caller, id));
  }

  @Get(':id/runs')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listSyncRuns', summary: 'Synchronisations with what they changed, newest first' })
  async listRuns(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<RunView>> {
    await this.sources.get(caller, id);
    const rows = await this.runs.list(id, query.cursor ?? null, query.limit + 1);
    return pageOf(rows.map(shown), query.limit, (row) => row.id);
  }

  @Get(':id/runs/:runId')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getSyncRun', summary: 'One synchronisation' })
  async run(@Caller() caller: Principal, @Param('id') id: string, @Param('runId') runId: string): Promise<RunView> {
    await this.sources.get(caller, id);
    const run = await this.runs.byId(runId);
    if (run?.source_id !== id) throw notFound('sync_run', runId);
    return shown(run);
  }
}

function shown(run: SyncRunRow): RunView {
  const { fence: _fence, lease_until: _lease, organization_id: _organization, ...view } = run;
  return view;
}
