import { PublicRoute, Text } from '#libs/service-kit';
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../../authentication/session-cookie.js';
import { type SessionSettings, SETTINGS } from '../../settings.js';
import { browserOf } from '../browser-of.js';
import { type SignInError, SingleSignOnService } from './single-sign-on.service.js';

class StartQuery {
  @Text(16_000, { optional: true, description: 'Path of the console to return to, at most 2,000 characters' })
  return_to?: string;
}

/** Browsers navigate to these, so they answer with redirects. Errors redirect to the sign-in page. */
@ApiTags('sign-in')
@PublicRoute()
@Controller('api/v1/sign-in/oidc')
export class SingleSignOnController {
  constructor(
    private readonly signOn: SingleSignOnService,
    @Inject(SETTINGS) private readonly settings: SessionSettings,
  ) {}

  @Get(':id/start')
  @ApiOperation({
    summary: 'Start single sign-on in a browser: redirects to the issuer',
    operationId: 'startSingleSignOn',
  })
  @ApiParam({ name: 'id', description: 'Of GET /api/v1/sign-in/methods' })
  @ApiResponse({ status: 303, description: 'To the issuer; or to /sign-in?error=issuer_unavailable' })
  async start(
    @Param('id') id: string,
    @Query() { return_to }: StartQuery,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const begun = await this.signOn.start(id, return_to);
    if (typeof begun === 'string') return sendBack(reply, begun);
    return reply.status(303).headers({ 'set-cookie': begun.cookie, location: begun.url.href }).send();
  }

  @Get('callback')
  @ApiOperation({
    summary: 'The address to which the issuer sends the browser back',
    operationId: 'finishSingleSignOn',
  })
  @ApiResponse({ status: 303, description: 'Signed in, to return_to; or to /sign-in?error=<code>' })
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const query = request.url.split('?')[1] ?? '';
    const finished = await this.signOn.finish(query, request.headers.cookie, browserOf(request));
    if (typeof finished === 'string') return sendBack(reply, finished);
    const { PUBLIC_URL, SESSION_SECONDS } = this.settings;
    const { started, cookie, returnTo } = finished;
    const cookies = [sessionCookie(PUBLIC_URL, started.token, SESSION_SECONDS), cookie];
    return reply.status(303).headers({ 'set-cookie': cookies, location: returnTo }).send();
  }
}

function sendBack(reply: FastifyReply, error: SignInError): FastifyReply {
  return reply.status(303).header('location', `/sign-in?error=${error}`).send();
}
