import { Caller, invalidCursor, type Page, pageOf, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, ParseIntPipe, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RefreshAdapter, RegisterAdapter, RollBackAdapter } from './adapter.dto.js';
import type { AdapterRow } from './adapter.entity.js';
import { AdaptersService, type RefreshedAdapter } from './adapters.service.js';
import type { ManifestVersionRow } from './manifest-version.entity.js';

@ApiTags('Adapters')
@Controller('api/v1/adapters')
export class AdaptersController {
  constructor(@Inject(AdaptersService) private readonly adapters: AdaptersService) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'registerAdapter', summary: 'Register an adapter by its URL, or a skill-only manifest' })
  register(@Caller() caller: Principal, @Body() body: RegisterAdapter): Promise<AdapterRow> {
    return this.adapters.register(caller, body);
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listAdapters', summary: 'Registered adapters with their health' })
  async list(@Caller() caller: Principal): Promise<{ data: AdapterRow[]; next_cursor: null }> {
    return { data: await this.adapters.list(caller), next_cursor: null };
  }

  @Get(':id')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getAdapter', summary: 'One adapter with its manifest and health' })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<AdapterRow> {
    return this.adapters.get(caller, id);
  }

  @Post(':id/refresh')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'refreshAdapter',
    summary: 'Fetch the manifest and ask the health again; a change that matters waits for approval',
  })
  refresh(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RefreshAdapter,
  ): Promise<RefreshedAdapter> {
    return this.adapters.refresh(caller, id, body.manifest);
  }

  @Get(':id/versions')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listManifestVersions', summary: 'Every manifest that was fetched, newest first' })
  async versions(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<ManifestVersionRow>> {
    const before = query.cursor === undefined ? null : versionIn(query.cursor);
    const rows = await this.adapters.listVersions(caller, id, before, query.limit + 1);
    return pageOf(rows, query.limit, (row) => String(row.number));
  }

  @Get(':id/versions/:number')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getManifestVersion', summary: 'One fetched manifest and what it changes' })
  version(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number', ParseIntPipe) number: number,
  ): Promise<ManifestVersionRow> {
    return this.adapters.version(caller, id, number);
  }

  @Post(':id/versions/:number/approve')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'approveManifestVersion', summary: 'Put a fetched manifest in force' })
  approve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number', ParseIntPipe) number: number,
  ): Promise<AdapterRow> {
    return this.adapters.approve(caller, id, number);
  }

  @Post(':id/roll-back')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'rollBackAdapter', summary: 'Put a manifest in force that was so before' })
  rollBack(@Caller() caller: Principal, @Param('id') id: string, @Body() body: RollBackAdapter): Promise<AdapterRow> {
    return this.adapters.rollBack(caller, id, body.version);
  }
}

/** @throws Problem 400 `invalid_cursor` for the cursor of another list */
function versionIn(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}
