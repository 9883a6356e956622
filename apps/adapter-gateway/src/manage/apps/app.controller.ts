import { Caller, Edits, type Principal, RequireScopes, ShowsEntityTag } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeApp, InstallApp, RotateToken } from './app.dto.js';
import { AppViews } from './app-views.js';
import { AppService } from './app.service.js';
import { AppPage, AppView } from './app-view.dto.js';

@ApiTags('apps')
@Controller('api/v1/apps')
export class AppController {
  constructor(
    private readonly apps: AppService,
    private readonly view: AppViews,
  ) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'installApp', summary: 'Install an App; the answer has its webhook URL' })
  @ApiCreatedResponse({ type: AppView })
  async install(@Caller() caller: Principal, @Body() body: InstallApp): Promise<AppView> {
    return this.view.of(await this.apps.install(caller, body), caller);
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listApps', summary: 'Installed Apps' })
  @ApiOkResponse({ type: AppPage })
  async list(@Caller() caller: Principal): Promise<AppPage> {
    return { data: await this.view.all(await this.apps.list(caller), caller), next_cursor: null };
  }

  @Get(':id')
  @ShowsEntityTag()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getApp', summary: 'One App' })
  @ApiOkResponse({ type: AppView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AppView> {
    return this.view.of(await this.apps.get(caller, id), caller);
  }

  @Patch(':id')
  @Edits<AppController>((controller, caller, id) => controller.get(caller, id))
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'changeApp',
    summary: 'Change an App; while it is paused, its messages are held',
  })
  @ApiOkResponse({ type: AppView })
  async change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeApp): Promise<AppView> {
    return this.view.of(await this.apps.change(caller, id, body), caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'retireApp', summary: 'Retire an App; its webhook URL answers 410' })
  @ApiNoContentResponse()
  async retire(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.apps.retire(caller, id);
  }

  @Post(':id/rotate-token')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'rotateWebhookToken',
    summary: 'Rotate the webhook URL; the old one keeps working for a grace period',
  })
  @ApiOkResponse({ type: AppView })
  async rotate(@Caller() caller: Principal, @Param('id') id: string, @Body() body: RotateToken): Promise<AppView> {
    return this.view.of(
      await this.apps.rotateToken(
        caller,
        id,
        body.grace_seconds === undefined ? undefined : body.grace_seconds * 1_000,
      ),
      caller,
    );
  }
}
