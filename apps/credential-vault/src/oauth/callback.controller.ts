import { Problem, problemBody, PublicRoute, ServiceTokens, toProblem } from '#libs/service-kit';
import { Controller, Get, HttpCode, Inject, Logger, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallbackService, NotConnected } from './callback.service.js';
import type { Connected } from './code-exchange.service.js';
import { ConnectService } from './connect.service.js';
import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { privateHeaders, sendPage } from './page.js';
import { returnUrl } from './return-routes.js';

/** Routes that browsers open without a key: the return from a provider, and links for people without an account. */
@ApiTags('oauth')
@Controller('api/v1/oauth')
@PublicRoute()
export class CallbackController {
  private readonly logger = new Logger('oauth');

  constructor(
    private readonly callbacks: CallbackService,
    private readonly connects: ConnectService,
    private readonly tokens: ServiceTokens,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  @Get('callback/:slug')
  @ApiOperation({ summary: 'The address to which a provider sends the browser back', operationId: 'oauthCallback' })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'A page for the browser' })
  @ApiResponse({ status: 303, description: 'Back to where the connection was started' })
  callback(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answered(request, reply, async () => {
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      const subject = await this.subjectOf(request);
      const callback = { slug, query, cookies: request.headers.cookie, subject };
      const connected = await this.callbacks.receive(callback).catch((error: unknown) => {
        if (error instanceof NotConnected && this.sendFailed(reply, error)) return null;
        throw error instanceof NotConnected ? error.cause : error;
      });
      if (connected) this.sendBack(reply, connected);
    });
  }

  /** Link scanners and previews must not spend the link: a GET shows a page, and the POST of its button continues. */
  @Get('links/:token')
  @ApiOperation({ summary: 'Show the page of a connect link', operationId: 'openConnectLink' })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'A page for the browser' })
  link(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answered(request, reply, async () => {
      await this.connects.requireLink(token);
      const text =
        'You were asked to connect an account. The next page is that of the provider, where you can agree or decline.';
      sendPage(reply, 200, { title: 'Connect an account', text, button: 'Continue' });
    });
  }

  @Post('links/:token')
  @HttpCode(303)
  @ApiOperation({ summary: 'Use a connect link and go to the provider', operationId: 'useConnectLink' })
  @ApiResponse({ status: 303, description: 'To the provider' })
  useLink(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answered(request, reply, async () => {
      const { authorizationUrl, cookie } = await this.connects.startByLink(token);
      reply
        .status(303)
        .headers({ ...privateHeaders, 'set-cookie': cookie, location: authorizationUrl })
        .send();
    });
  }

  private sendBack(reply: FastifyReply, { flow, outcome, missingScopes }: Connected): void {
    const outcomeFields = {
      outcome,
      credential: flow.credential_id,
      ...(outcome === 'other_account' ? { flow: flow.id } : {}),
    };
    if (this.redirect(reply, flow, outcomeFields)) return;
    const texts = {
      connected:
        missingScopes.length > 0
          ? `The account is connected, but these scopes were not granted: ${missingScopes.join(', ')}.`
          : 'You can close this window.',
      other_account: 'This is a different account than before. It is used once a member confirms the change.',
    };
    sendPage(reply, 200, { title: outcome === 'connected' ? 'Connected' : 'Different account', text: texts[outcome] });
  }

  /** Redirects to where the flow was started. @returns false when there is no such place and a page has to report it */
  private sendFailed(reply: FastifyReply, { flow, cause }: NotConnected): boolean {
    return this.redirect(reply, flow, { outcome: 'failed', code: toProblem(cause).code });
  }

  private redirect(reply: FastifyReply, flow: OauthFlow, outcomeFields: Record<string, string>): boolean {
    const location = returnUrl(this.settings.PUBLIC_URL, flow, outcomeFields);
    if (!location) return false;
    reply
      .status(303)
      .headers({ ...privateHeaders, location })
      .send();
    return true;
  }

  /** The portal says who is signed in, if it knows. A flow belongs to whoever started it. */
  private async subjectOf(request: FastifyRequest): Promise<string | null> {
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!token) return null;
    const principal = await this.tokens.verify(token).catch(() => null);
    if (!principal) throw new Problem(401, 'not_authenticated', 'The token is not valid or has expired.');
    return principal.subject;
  }

  /** A page for browsers, problem+json for programs. */
  private async answered(request: FastifyRequest, reply: FastifyReply, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const problem = toProblem(error);
      if (problem.status >= 500) this.logger.error({ event: 'oauth.failed', code: problem.code, error: String(error) });
      if (/text\/html/.test(request.headers.accept ?? '')) {
        sendPage(reply, problem.status, { title: 'Not connected', text: `${problem.detail} (${problem.code})` });
        return;
      }
      const headers = { ...privateHeaders, ...problem.headers, 'content-type': 'application/problem+json' };
      reply
        .status(problem.status)
        .headers(headers)
        .send(JSON.stringify(problemBody(problem, request.id)));
    }
  }
}
