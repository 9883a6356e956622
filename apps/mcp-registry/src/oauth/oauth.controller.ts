import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ServerService } from '../servers/server.service.js';
import { RegisterByOauth, RegisteredByOauth } from './oauth.dto.js';
import { OauthRegistration } from './oauth-registration.service.js';

@ApiTags('mcp-servers')
@Controller('api/v1/mcp-servers/oauth')
export class OauthController {
  constructor(
    private readonly registration: OauthRegistration,
    private readonly servers: ServerService,
  ) {}

  @Post()
  @RequireScopes('tools:write', 'credentials:write')
  @ApiOperation({
    operationId: 'registerMcpServerByOauth',
    summary: 'Register an MCP server that requires OAuth 2.1; then connect its credential and run discovery',
  })
  @ApiCreatedResponse({ type: RegisteredByOauth })
  async register(@Caller() caller: Principal, @Body() body: RegisterByOauth): Promise<RegisteredByOauth> {
    const server = await this.registration.register(caller, body);
    const credential_id = server.credential_id ?? '';
    return {
      server: await this.servers.view(caller, server.id),
      credential_id,
      connect_path: `/api/v1/credentials/${credential_id}/connect`,
    };
  }
}
