import { Problem, PublicRoute } from '#libs/service-kit';
import { Body, Controller, Get, Header, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { WebChatAddressRepository } from './web-chat-address.repository.js';
import { type MailState, WebChatAddresses } from './web-chat-addresses.js';
import { readBody } from './web-chat.dto.js';
import { offPage } from './web-chat-mail-text.js';
import { WebChatSites } from './web-chat-sites.js';

const tokenPattern = /^[A-Za-z0-9_-]{32}$/;
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'";

/** What the script of a page asks about answers by mail, and the link in those mails. */
@ApiExcludeController()
@Controller('api/v1/web-chat/mail')
@PublicRoute()
export class WebChatMailController {
  constructor(
    private readonly sites: WebChatSites,
    private readonly addresses: WebChatAddresses,
    private readonly recipients: WebChatAddressRepository,
  ) {}

  /** A visitor names an address, to which a code is sent. */
  @Post()
  @HttpCode(200)
  async ask(
    @Headers('origin') origin: string | undefined,
    @Headers('x-forwarded-for') address: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MailState> {
    const { app, visitor, email } = readBody(body);
    return this.addresses.ask(await this.sites.visitFrom(reply, { app, visitor }, origin), email, address ?? '');
  }

  @Post('confirm')
  @HttpCode(200)
  async confirm(
    @Headers('origin') origin: string | undefined,
    @Headers('x-forwarded-for') address: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MailState> {
    const { app, visitor, code } = readBody(body);
    return this.addresses.confirm(await this.sites.visitFrom(reply, { app, visitor }, origin), code, address ?? '');
  }

  @Post('stop')
  @HttpCode(200)
  async stop(
    @Headers('origin') origin: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MailState> {
    const { app, visitor } = readBody(body);
    return this.addresses.stop(await this.sites.visitFrom(reply, { app, visitor }, origin));
  }

  /** The link of a mail changes nothing by itself: programs follow it too. */
  @Get('off')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', pagePolicy)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  async show(@Query('token') token: unknown): Promise<string> {
    return offPage(await this.recipients.recipient(tokenOf(token)));
  }

  /** By the button of that page, which sends `mails=off` or `mails=on` as text. */
  @Post('off')
  @HttpCode(200)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', pagePolicy)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  async turn(@Query('token') token: unknown, @Body() body: unknown): Promise<string> {
    const wanted = typeof body === 'string' ? body.trim() : '';
    if (wanted !== 'mails=on' && wanted !== 'mails=off') {
      throw new Problem(422, 'invalid_request', 'The body must be mails=off or mails=on.');
    }
    await this.recipients.refuse(tokenOf(token), wanted === 'mails=off');
    return offPage(await this.recipients.recipient(tokenOf(token)));
  }
}

const tokenOf = (token: unknown): string => (typeof token === 'string' && tokenPattern.test(token) ? token : '');
