import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ChangeServer,
  ImportServer,
  RegisterServer,
  ServerPage,
  ServerQuery,
  ServerView,
  UnregisterQuery,
} from './mcp-server.dto.js';
import { Registration } from './registration.service.js';
import { readServerJson } from './server-json.js';
import { ServerService } from './server.service.js';

@ApiTags('mcp-servers')
@Controller('api/v1/mcp-servers')
export class ServerController {
  constructor(
    private readonly servers: ServerService,
    private readonly registration: Registration,
  ) {}

  @Post()
  @RequireScopes('tools:write')
  @ApiOperation({
    operationId: 'registerMcpServer',
    summary: 'Register an MCP server by its URL; its tools are discovered and bundled in a Skill immediately',
  })
  @ApiCreatedResponse({ type: ServerView })
  async register(@Caller() caller: Principal, @Body() body: RegisterServer): Promise<ServerView> {
    const { id } = await this.registration.register(caller, body);
    return this.servers.view(caller, id);
  }

  @Post('import')
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'importMcpServer', summary: 'Register the remote of a server.json' })
  @ApiCreatedResponse({ type: ServerView })
  async import(
    @Caller() caller: Principal,
    @Body() { server, auth, policy, trust, sessions }: ImportServer,
  ): Promise<ServerView> {
    const { url, name, headers } = readServerJson(server);
    if (headers.length > 0 && !auth) {
      throw new Problem(422, 'auth_needed', `The server requires ${headers.join(', ')}: pass auth with a credential.`);
    }
    const chosen = {
      ...(auth ? { auth } : {}),
      ...(policy ? { policy } : {}),
      ...(trust ? { trust } : {}),
      ...(sessions ? { sessions } : {}),
    };
    return this.register(caller, { url, name, ...chosen });
  }

  @Get()
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listMcpServers', summary: 'Registered MCP servers, newest first' })
  @ApiOkResponse({ type: ServerPage })
  list(@Caller() caller: Principal, @Query() query: ServerQuery): Promise<ServerPage> {
    return this.servers.list(caller, query);
  }

  @Get(':id')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'getMcpServer', summary: 'One MCP server and its health' })
  @ApiOkResponse({ type: ServerView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.servers.view(caller, id);
  }

  @Patch(':id')
  @RequireScopes('tools:write')
  @ApiOperation({
    operationId: 'changeMcpServer',
    summary: 'Rename a server, or change its policy, trust, sessions or credential',
  })
  @ApiOkResponse({ type: ServerView })
  change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeServer): Promise<ServerView> {
    return this.servers.change(caller, id, body);
  }

  @Post(':id/discover')
  @HttpCode(200)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'discoverMcpServer', summary: 'Run discovery now: list its tools again' })
  @ApiOkResponse({ type: ServerView })
  discover(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.servers.rediscover(caller, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('tools:write')
  @ApiOperation({
    operationId: 'unregisterMcpServer',
    summary: 'Remove a server with its tools and its Skill; refused while agents have the Skill',
  })
  @ApiNoContentResponse()
  unregister(@Caller() caller: Principal, @Param('id') id: string, @Query() { force }: UnregisterQuery): Promise<void> {
    return this.servers.unregister(caller, id, force === 'true');
  }
}
