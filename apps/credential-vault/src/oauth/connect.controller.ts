import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RevocationService } from '../grants/revocation.service.js';
import { CodeExchange } from './code-exchange.service.js';
import {
  ConfigureOauth,
  ConnectLinkView,
  ConnectStarted,
  CreateConnectLink,
  GrantView,
  StartConnect,
} from './connect.dto.js';
import { ConnectService } from './connect.service.js';
import { GrantSetup } from './grant-setup.service.js';
import { GrantViews } from './grant-views.js';
import { UnconfirmedAccounts } from './unconfirmed-accounts.js';

const linkSeconds = 86_400;

@ApiTags('credentials')
@Controller('api/v1/credentials/:id')
export class ConnectController {
  constructor(
    private readonly connects: ConnectService,
    private readonly exchange: CodeExchange,
    private readonly setup: GrantSetup,
    private readonly revocations: RevocationService,
    private readonly unconfirmed: UnconfirmedAccounts,
    private readonly views: GrantViews,
  ) {}

  @Get('oauth')
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'Read the OAuth grant of a credential', operationId: 'getGrant' })
  @ApiOkResponse({ type: GrantView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<GrantView> {
    return this.views.of(caller, id);
  }

  @Put('oauth')
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Set the provider of an OAuth credential', operationId: 'configureGrant' })
  @ApiOkResponse({ type: GrantView })
  async configure(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ConfigureOauth,
  ): Promise<GrantView> {
    await this.setup.configure(caller, id, { slug: body.provider ?? null, inline: body.config ?? null });
    return this.views.of(caller, id);
  }

  @Post('oauth/revoke')
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({
    summary: 'Disconnect: delete the tokens, revoke them at the provider, and keep the credential',
    operationId: 'revokeGrant',
  })
  @ApiOkResponse({ type: GrantView })
  async revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<GrantView> {
    await this.revocations.revokeGrant(caller, id);
    return this.views.of(caller, id);
  }

  @Post('connect')
  @RequireScopes('credentials:write')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Start to connect or reconnect an OAuth credential', operationId: 'connect' })
  @ApiCreatedResponse({ type: ConnectStarted })
  async start(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { return_to = 'done' }: StartConnect,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConnectStarted> {
    const { flowId, authorizationUrl, cookie, expiresAt } = await this.connects.start(
      caller,
      id,
      caller.subject,
      return_to,
    );
    reply.header('set-cookie', cookie);
    return { flow_id: flowId, authorization_url: authorizationUrl, expires_at: expiresAt.toISOString() };
  }

  @Post('connect/:flow/confirm')
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({ summary: 'Accept the different account that a reconnect returned', operationId: 'confirmAccount' })
  @ApiOkResponse({ type: GrantView })
  async confirm(@Caller() caller: Principal, @Param('id') id: string, @Param('flow') flow: string): Promise<GrantView> {
    await this.exchange.confirm(caller, id, flow);
    return this.views.of(caller, id);
  }

  @Post('connect/:flow/decline')
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({
    summary: 'Decline the different account: its tokens are revoked at the provider',
    operationId: 'declineAccount',
  })
  @ApiOkResponse({ type: GrantView })
  async decline(@Caller() caller: Principal, @Param('id') id: string, @Param('flow') flow: string): Promise<GrantView> {
    await this.unconfirmed.decline(caller, id, flow);
    return this.views.of(caller, id);
  }

  @Post('connect-links')
  @RequireScopes('credentials:write')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Create a link with which someone without an account can connect',
    operationId: 'createConnectLink',
  })
  @ApiCreatedResponse({ type: ConnectLinkView })
  createLink(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { expires_in_seconds = linkSeconds }: CreateConnectLink,
  ): Promise<ConnectLinkView> {
    return this.connects.createLink(caller, id, caller.subject, expires_in_seconds);
  }
}
