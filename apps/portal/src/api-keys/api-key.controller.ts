import { Caller, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiKeyPage, CreateApiKey, CreatedApiKey } from './api-key.dto.js';
import { ApiKeyService } from './api-key.service.js';

@ApiTags('api-keys')
@Controller('api/v1/api-keys')
export class ApiKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Post()
  @Header('cache-control', 'no-store')
  @RequireScopes('keys:write')
  @ApiOperation({ summary: 'Create an API key; only this answer shows it', operationId: 'createApiKey' })
  @ApiCreatedResponse({ type: CreatedApiKey })
  create(@Caller() caller: Principal, @Body() body: CreateApiKey): Promise<CreatedApiKey> {
    return this.keys.create(caller, body);
  }

  @Get()
  @RequireScopes('keys:read')
  @ApiOperation({ summary: 'List API keys', operationId: 'listApiKeys' })
  @ApiOkResponse({ type: ApiKeyPage })
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<ApiKeyPage> {
    return this.keys.list(caller, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('keys:write')
  @ApiOperation({
    summary: 'Revoke an API key and the keys that it created; they stop working within 100 ms, and open streams end',
    operationId: 'revokeApiKey',
  })
  @ApiNoContentResponse()
  revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.keys.revoke(caller, id);
  }
}
