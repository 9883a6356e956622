import { Caller, type Principal, RequireScopes, TokenOnce } from '#libs/service-kit';
import { Body, Controller, Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ServicePolicy } from '../service-policy/service-policy.js';
import {
  ChangeManagedCredential,
  CreateManagedCredential,
  type ManagedCredentialView,
} from './managed-credential.dto.js';
import { type Managed, ManagedCredentialService } from './managed-credential.service.js';

const kind = 'mcp_server';

/**
 * What the registry of MCP servers may do with credentials. The policy decides this, not a scope, whoever issues its
 * tokens.
 */
@ApiTags('internal')
@Controller('internal/mcp-servers/:server/credentials')
@TokenOnce()
@RequireScopes('service')
export class ManagedCredentialController {
  constructor(
    private readonly managed: ManagedCredentialService,
    private readonly policy: ServicePolicy,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Make an oauth2 credential for an MCP server', operationId: 'createManagedCredential' })
  create(
    @Caller() caller: Principal,
    @Param('server') server: string,
    @Body() body: CreateManagedCredential,
  ): Promise<ManagedCredentialView> {
    return this.managed.create(caller, this.allowed(caller, server), body);
  }

  @Put(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Set its OAuth client', operationId: 'changeManagedCredential' })
  change(
    @Caller() caller: Principal,
    @Param('server') server: string,
    @Param('id') id: string,
    @Body() body: ChangeManagedCredential,
  ): Promise<void> {
    return this.managed.change(caller, this.allowed(caller, server), id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete it with its MCP server', operationId: 'deleteManagedCredential' })
  remove(@Caller() caller: Principal, @Param('server') server: string, @Param('id') id: string): Promise<void> {
    return this.managed.remove(caller, this.allowed(caller, server), id);
  }

  /** @throws Problem 403 `not_in_policy` */
  private allowed(caller: Principal, server: string): Managed {
    this.policy.check(caller, 'manage', kind);
    return { kind, id: server };
  }
}
