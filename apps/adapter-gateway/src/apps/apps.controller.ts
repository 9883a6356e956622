import { Caller, Edits, type Principal, RequireScopes, ShowsEntityTag } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeApp, InstallApp, RotateToken, VerificationView } from './app.dto.js';
import { type AppView, AppViews } from './app-views.js';
import { AppVerification } from './app-verification.js';
import { AppsService } from './apps.service.js';

@ApiTags('Apps')
@Controller('api/v1/apps')
export class AppsController {
  constructor(
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(AppVerification) private readonly verification: AppVerification,
    @Inject(AppViews) private readonly view: AppViews,
  ) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'installApp', summary: 'Install an App; the answer has its webhook URL' })
  async install(@Caller() caller: Principal, @Body() body: InstallApp): Promise<AppView> {
    return this.view.of(await this.apps.install(caller, body));
  }

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listApps', summary: 'Installed Apps' })
  async list(@Caller() caller: Principal): Promise<{ data: AppView[]; next_cursor: null }> {
    return { data: (await this.apps.list(caller)).map((row) => this.view.of(row)), next_cursor: null };
  }

  @Get(':id')
  @ShowsEntityTag()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getApp', summary: 'One App' })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AppView> {
    return this.view.of(await this.apps.get(caller, id));
  }

  @Patch(':id')
  @Edits<AppsController>((controller, caller, id) => controller.get(caller, id))
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'changeApp',
    summary: 'Change an App; pause holds its messages until it is active again',
  })
  async change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeApp): Promise<AppView> {
    return this.view.of(await this.apps.change(caller, id, body));
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
  @ApiOperation({
    operationId: 'rotateWebhookToken',
    summary: 'A new webhook URL; the old one works on for a grace period',
  })
  async rotate(@Caller() caller: Principal, @Param('id') id: string, @Body() body: RotateToken): Promise<AppView> {
    return this.view.of(
      await this.apps.rotateToken(
        caller,
        id,
        body.grace_seconds === undefined ? undefined : body.grace_seconds * 1_000,
      ),
    );
  }

  @Post(':id/verify')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'verifyApp', summary: 'Ask the adapter whether the credentials are accepted' })
  @ApiOkResponse({ type: VerificationView })
  verify(@Caller() caller: Principal, @Param('id') id: string): Promise<VerificationView> {
    return this.verification.verify(caller, id);
  }
}
