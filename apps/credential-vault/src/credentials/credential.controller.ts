import { Caller, Edits, type Principal, RequireScopes, SearchQuery, ShowsEntityTag } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CreateCredential,
  CredentialPage,
  CredentialView,
  DeleteQuery,
  RotateCredential,
  RotateField,
  UpdateCredential,
} from './credential.dto.js';
import { CredentialService } from './credential.service.js';

@ApiTags('credentials')
@Controller('api/v1/credentials')
export class CredentialController {
  constructor(private readonly credentials: CredentialService) {}

  @Post()
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Store a credential', operationId: 'createCredential' })
  @ApiCreatedResponse({ type: CredentialView })
  create(@Caller() caller: Principal, @Body() body: CreateCredential): Promise<CredentialView> {
    return this.credentials.create(caller, body);
  }

  @Get()
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'List credentials', operationId: 'listCredentials' })
  @ApiOkResponse({ type: CredentialPage })
  list(@Caller() caller: Principal, @Query() query: SearchQuery): Promise<CredentialPage> {
    return this.credentials.list(caller, query);
  }

  @Get(':id')
  @ShowsEntityTag()
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'Read a credential, without its values', operationId: 'getCredential' })
  @ApiOkResponse({ type: CredentialView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<CredentialView> {
    return this.credentials.get(caller, id);
  }

  @Patch(':id')
  @Edits<CredentialController>((controller, caller, id) => controller.get(caller, id))
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Rename a credential or change some of its fields', operationId: 'updateCredential' })
  @ApiOkResponse({ type: CredentialView })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateCredential,
  ): Promise<CredentialView> {
    return this.credentials.update(caller, id, body);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Replace all fields of a credential', operationId: 'rotateCredential' })
  @ApiOkResponse({ type: CredentialView })
  rotate(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RotateCredential,
  ): Promise<CredentialView> {
    return this.credentials.rotate(caller, id, body.fields);
  }

  @Post(':id/fields/:field/rotate')
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({
    summary: 'Replace one field; the previous signing secret, or value of a list, stays valid for overlap_seconds',
    operationId: 'rotateCredentialField',
  })
  @ApiOkResponse({ type: CredentialView })
  rotateField(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('field') field: string,
    @Body() body: RotateField,
  ): Promise<CredentialView> {
    return this.credentials.rotateField(caller, id, field, body);
  }

  @Post(':id/fields/:field/finish-rotation')
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({
    summary: 'Finish a rotation now: drop all values of the field except the newest',
    operationId: 'finishFieldRotation',
  })
  @ApiOkResponse({ type: CredentialView })
  finishRotation(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('field') field: string,
  ): Promise<CredentialView> {
    return this.credentials.finishRotation(caller, id, field);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Delete a credential; refused while something uses it', operationId: 'deleteCredential' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string, @Query() { force }: DeleteQuery): Promise<void> {
    return this.credentials.delete(caller, id, force === 'true');
  }
}
