import type { VerifyResult } from '#libs/adapter-sdk';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { ChangeApp, InstallApp } from './app.dto.js';
import type { AppRow } from './app.entity.js';
import { AppVerification } from './app-verification.js';
import { AppsService } from './apps.service.js';

/** An App as the API shows it. */
type AppView = Omit<AppRow, 'retired_token_hashes' | 'organization_id' | 'origin_marker' | 'self'> & {
  webhook_path: string;
  webhook_url: string;
};

@ApiTags('Apps')
@Controller('api/v1/apps')
export class AppsController {
  constructor(
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(AppVerification) private readonly verification: AppVerification,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'installApp', summary: 'Install an App; the answer has its webhook URL' })
  async install(@Caller() caller: Principal, @Body() body: InstallApp): Promise<AppView> {
    return this.view(await this.apps.install(caller, body));
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listApps', summary: 'Installed Apps' })
  async list(@Caller() caller: Principal): Promise<{ data: AppView[]; next_cursor: null }> {
    return { data: (await this.apps.list(caller)).map((row) => this.view(row)), next_cursor: null };
  }

  @Get(':id')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getApp', summary: 'One App' })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AppView> {
    return this.view(await this.apps.get(caller, id));
  }

  @Patch(':id')
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'changeApp',
    summary: 'Change an App; pause holds its messages until it is active again',
  })
  async change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeApp): Promise<AppView> {
    return this.view(await this.apps.change(caller, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'retireApp', summary: 'Retire an App; its webhook URL answers 410' })
  async retire(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.apps.retire(caller, id);
  }

  @Post(':id/rotate-token')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'rotateWebhookToken', summary: 'A new webhook URL; the old one answers 410' })
  async rotate(@Caller() caller: Principal, @Param('id') id: string): Promise<AppView> {
    return this.view(await this.apps.rotateToken(caller, id));
  }

  @Post(':id/verify')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'verifyApp', summary: 'Ask the adapter whether the credentials are accepted' })
  verify(@Caller() caller: Principal, @Param('id') id: string): Promise<VerifyResult> {
    return this.verification.verify(caller, id);
  }

  private view(row: AppRow): AppView {
    const { retired_token_hashes: _hashes, organization_id: _org, origin_marker: _marker, self: _self, ...shown } = row;
    const path = `/api/v1/webhooks/${row.webhook_token}`;
    return { ...shown, webhook_path: path, webhook_url: `${this.settings.PUBLIC_URL}${path}` };
  }
}
