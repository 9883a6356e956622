import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BindingList, BindingView, CreateBinding, UpdateBinding } from './binding.dto.js';
import { BindingService } from './binding.service.js';

@ApiTags('credentials')
@Controller('api/v1/credentials/:id/bindings')
export class BindingController {
  constructor(private readonly bindings: BindingService) {}

  @Post()
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Let an App, a Skill or an MCP server use a credential', operationId: 'bindCredential' })
  @ApiCreatedResponse({ type: BindingView })
  create(@Caller() caller: Principal, @Param('id') id: string, @Body() body: CreateBinding): Promise<BindingView> {
    return this.bindings.create(caller, id, body);
  }

  @Get()
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'List what uses a credential', operationId: 'listCredentialBindings' })
  @ApiOkResponse({ type: BindingList })
  async list(@Caller() caller: Principal, @Param('id') id: string): Promise<BindingList> {
    return { data: await this.bindings.list(caller, id) };
  }

  @Patch(':bindingId')
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Change a binding, or approve what it may read', operationId: 'updateCredentialBinding' })
  @ApiOkResponse({ type: BindingView })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('bindingId') bindingId: string,
    @Body() body: UpdateBinding,
  ): Promise<BindingView> {
    return this.bindings.update(caller, id, bindingId, body);
  }

  @Delete(':bindingId')
  @HttpCode(204)
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Remove a binding', operationId: 'unbindCredential' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string, @Param('bindingId') bindingId: string): Promise<void> {
    return this.bindings.delete(caller, id, bindingId);
  }
}
