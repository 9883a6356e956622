import { PublicRoute } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuseForeignOrigin } from '../authentication/csrf.js';
import { sessionCookie } from '../authentication/session-cookie.js';
import { SignedInView } from '../sessions/session.dto.js';
import { SessionService } from '../sessions/session.service.js';
import { type SessionSettings, SETTINGS } from '../settings.js';
import { issuerId } from './single-sign-on/single-sign-on.service.js';
import { Issuer } from './single-sign-on/issuer.js';
import { browserOf } from './browser-of.js';
import { SignInByLink, SignInMethods } from './sign-in.dto.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('sign-in')
@PublicRoute()
@Controller('api/v1/sign-in')
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly sessions: SessionService,
    private readonly issuer: Issuer,
    @Inject(SETTINGS) private readonly settings: SessionSettings,
  ) {}

  @Get('methods')
  @ApiOperation({ summary: 'How people sign in here', operationId: 'getSignInMethods' })
  @ApiOkResponse({ type: SignInMethods })
  methods(): SignInMethods {
    return { oidc: this.issuer.isSet ? [{ id: issuerId, name: this.issuer.name }] : [], link: true };
  }

  @Post('link')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sign in by a one-time link; the answer sets the cookie of the session',
    operationId: 'signInByLink',
  })
  @ApiOkResponse({ type: SignedInView })
  async link(
    @Body() { token }: SignInByLink,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInView> {
    const { PUBLIC_URL, SESSION_SECONDS } = this.settings;
    refuseForeignOrigin(request.headers, PUBLIC_URL);
    const started = await this.signIn.byLink(token, browserOf(request));
    const view = await this.sessions.started(started.hash, started.token);
    reply.header('set-cookie', sessionCookie(PUBLIC_URL, started.token, SESSION_SECONDS));
    return view;
  }
}
