import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AppService } from '../manage/apps/app.service.js';
import { InstalledApps } from '../path/apps/installed-apps.js';
import { HeldConnectionView } from './held-connection.dto.js';
import { HeldConnectionRepository } from './held-connection.repository.js';
import { HeldConnections } from './held-connections.service.js';

@ApiTags('apps')
@Controller('api/v1/apps/:id/connection')
export class HeldConnectionController {
  constructor(
    private readonly apps: AppService,
    private readonly installed: InstalledApps,
    private readonly connections: HeldConnectionRepository,
    private readonly holder: HeldConnections,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getConnection', summary: 'How the events of an App are fetched from its provider' })
  @ApiOkResponse({ type: HeldConnectionView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<HeldConnectionView> {
    await this.apps.get(caller, id);
    const row = await this.connections.byApp(id);
    if (!row) throw notHeld();
    return HeldConnectionView.of(row);
  }

  @Put()
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'holdConnection',
    summary: 'Fetch the events of an App from its provider, where that cannot reach this installation',
  })
  @ApiOkResponse({ type: HeldConnectionView })
  async hold(@Caller() caller: Principal, @Param('id') id: string): Promise<HeldConnectionView> {
    const app = await this.apps.get(caller, id);
    const { adapter } = await this.installed.get(id);
    if (!adapter?.manifest.connect || !app.capabilities.includes('receive')) {
      const detail = `${app.name} cannot fetch: its adapter offers no connect, or it was installed without receive.`;
      throw new Problem(422, 'connection_unsupported', detail);
    }
    await this.connections.start(app);
    this.holder.expedite();
    return this.get(caller, id);
  }

  @Delete()
  @HttpCode(204)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'dropConnection', summary: 'Fetch no more events of an App' })
  @ApiNoContentResponse()
  async drop(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.apps.get(caller, id);
    if (!(await this.connections.stop(id))) throw notHeld();
  }
}

function notHeld(): Problem {
  return new Problem(404, 'connection_not_found', 'The events of this App are not fetched: they come by webhook.');
}
