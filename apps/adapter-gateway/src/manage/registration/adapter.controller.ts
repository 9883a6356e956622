import {
  Caller,
  invalidCursor,
  pageOf,
  PageQuery,
  type Principal,
  RequireScopes,
  RowNumberPipe,
} from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdapterChangeService } from './adapter-change.service.js';
import {
  AdapterPage,
  AdapterView,
  adapterView,
  ManifestVersionPage,
  ManifestVersionView,
  manifestVersionView,
  RefreshedAdapterView,
} from './adapter-view.dto.js';
import { ChangeAdapter, RefreshAdapter, RegisterAdapter, RollBackAdapter } from './adapter.dto.js';
import { AdapterService } from './adapter.service.js';

@ApiTags('adapters')
@Controller('api/v1/adapters')
export class AdapterController {
  constructor(
    private readonly adapters: AdapterService,
    private readonly changes: AdapterChangeService,
  ) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'registerAdapter', summary: 'Register an adapter by its URL, or a skill-only manifest' })
  @ApiCreatedResponse({ type: AdapterView })
  async register(@Caller() caller: Principal, @Body() body: RegisterAdapter): Promise<AdapterView> {
    return adapterView(await this.adapters.register(caller, body));
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listAdapters', summary: 'Registered adapters with their health' })
  @ApiOkResponse({ type: AdapterPage })
  async list(@Caller() caller: Principal): Promise<AdapterPage> {
    return { data: (await this.adapters.list(caller)).map(adapterView), next_cursor: null };
  }

  @Get(':id')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getAdapter', summary: 'One adapter with its manifest and health' })
  @ApiOkResponse({ type: AdapterView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AdapterView> {
    return adapterView(await this.adapters.get(caller, id));
  }

  @Patch(':id')
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'changeAdapter', summary: 'Move, rename, disable or enable an adapter' })
  @ApiOkResponse({ type: AdapterView })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ChangeAdapter,
  ): Promise<AdapterView> {
    return adapterView(await this.changes.change(caller, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'unregisterAdapter',
    summary: 'Unregister an adapter; refused while Apps of it are installed',
  })
  @ApiNoContentResponse()
  async unregister(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.changes.unregister(caller, id);
  }

  @Post(':id/refresh')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'refreshAdapter',
    summary: 'Fetch the manifest and check the health again; a significant change waits for approval',
  })
  @ApiOkResponse({ type: RefreshedAdapterView })
  async refresh(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RefreshAdapter,
  ): Promise<RefreshedAdapterView> {
    const { adapter, version, pending } = await this.adapters.refresh(caller, id, body.manifest);
    return { adapter: adapterView(adapter), version: manifestVersionView(version), pending };
  }

  @Get(':id/versions')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listManifestVersions', summary: 'Fetched manifests, newest first' })
  @ApiOkResponse({ type: ManifestVersionPage })
  async versions(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ManifestVersionPage> {
    const before = query.cursor === undefined ? null : versionIn(query.cursor);
    const rows = await this.adapters.listVersions(caller, id, before, query.limit + 1);
    return pageOf(rows.map(manifestVersionView), query.limit, (row) => String(row.number));
  }

  @Get(':id/versions/:number')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getManifestVersion', summary: 'One fetched manifest and what it changes' })
  @ApiOkResponse({ type: ManifestVersionView })
  async version(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number', new RowNumberPipe('manifest_version')) number: number,
  ): Promise<ManifestVersionView> {
    return manifestVersionView(await this.adapters.version(caller, id, number));
  }

  @Post(':id/versions/:number/approve')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'approveManifestVersion', summary: 'Approve a fetched manifest and put it in force' })
  @ApiOkResponse({ type: AdapterView })
  async approve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number', new RowNumberPipe('manifest_version')) number: number,
  ): Promise<AdapterView> {
    return adapterView(await this.adapters.approve(caller, id, number));
  }

  @Post(':id/roll-back')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'rollBackAdapter', summary: 'Roll back to a manifest that was in force before' })
  @ApiOkResponse({ type: AdapterView })
  async rollBack(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RollBackAdapter,
  ): Promise<AdapterView> {
    return adapterView(await this.adapters.rollBack(caller, id, body.version));
  }
}

/** @throws Problem 400 `invalid_cursor` for the cursor of another list */
function versionIn(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}
