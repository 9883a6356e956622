import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Delete, Get, HttpCode, Inject, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CallingMember } from '../authentication/request-member.js';
import type { MemberRequest } from '../authentication/session-authenticator.js';
import { type SessionSettings, SETTINGS } from '../settings.js';
import { sessionCookie } from '../authentication/session-cookie.js';
import { SignedInView } from './session.dto.js';
import { SessionService } from './session.service.js';

@ApiTags('session')
@Controller('api/v1/session')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    @Inject(SETTINGS) private readonly settings: SessionSettings,
  ) {}

  @Get()
  @RequireScopes()
  @ApiOperation({
    summary: 'Who is signed in in this browser, and what they have access to',
    operationId: 'getSignedIn',
  })
  @ApiOkResponse({ type: SignedInView })
  get(@CallingMember() { session, token, principal }: MemberRequest): Promise<SignedInView> {
    return this.sessions.view(session, token, principal.organizationId);
  }

  @Delete()
  @HttpCode(204)
  @RequireScopes()
  @ApiOperation({ summary: 'Sign out in this browser', operationId: 'signOut' })
  @ApiNoContentResponse()
  async end(
    @CallingMember() { session }: MemberRequest,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.revoke(caller, session.id);
    reply.header('set-cookie', sessionCookie(this.settings.PUBLIC_URL, null));
  }
}
