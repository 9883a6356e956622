import { Caller, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AdapterRow } from './adapter.entity.js';
import { AdaptersService } from './adapters.service.js';

export class RegisterAdapter {
  @Text(2_000, { minLength: 8, description: 'Address of the adapter; its last path segment is the slug' }) url: string;
}

@ApiTags('Adapters')
@Controller('api/v1/adapters')
export class AdaptersController {
  constructor(@Inject(AdaptersService) private readonly adapters: AdaptersService) {}

  @Post()
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'registerAdapter', summary: 'Register an adapter by its URL' })
  register(@Caller() caller: Principal, @Body() body: RegisterAdapter): Promise<AdapterRow> {
    return this.adapters.register(caller, body.url);
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
  @ApiOperation({ operationId: 'refreshAdapter', summary: 'Fetch the manifest and ask the health again' })
  refresh(@Caller() caller: Principal, @Param('id') id: string): Promise<AdapterRow> {
    return this.adapters.refresh(caller, id);
  }
}
