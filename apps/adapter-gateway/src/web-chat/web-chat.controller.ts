import { scopeOf } from '#libs/contracts';
import { PublicRoute } from '#libs/service-kit';
import { Body, Controller, Header, Headers, HttpCode, Inject, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { readAfter, readBody, readFile, readFileId, readMessage } from './web-chat.dto.js';
import { WebChatAddresses } from './web-chat-addresses.js';
import { WebChatFiles } from './web-chat-files.js';
import { WebChatService } from './web-chat.service.js';
import { WebChatSites } from './web-chat-sites.js';
import { WebChatStreams } from './web-chat-streams.js';

/** What the script of a page calls, from other origins and without an API key: the page's origin and visitor decide. */
@ApiExcludeController()
@Controller('api/v1/web-chat')
@PublicRoute()
export class WebChatController {
  constructor(
    private readonly sites: WebChatSites,
    private readonly chats: WebChatService,
    private readonly streams: WebChatStreams,
    private readonly files: WebChatFiles,
    private readonly addresses: WebChatAddresses,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** Answered once the message is stored. */
  @Post('messages')
  @HttpCode(200)
  async write(
    @Headers('origin') origin: string | undefined,
    @Headers('x-forwarded-for') address: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ id: string }> {
    const given = readBody(body);
    const visit = await this.sites.visitFrom(reply, given, origin);
    const message = readMessage(given, this.settings.WEB_CHAT_MESSAGE_CHARS);
    await this.chats.take(visit, message, address ?? '');
    return { id: message.id };
  }

  /** A file for a message that names it later. */
  @Post('files')
  @HttpCode(200)
  async send(
    @Headers('origin') origin: string | undefined,
    @Headers('x-forwarded-for') address: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ id: string }> {
    const given = readBody(body);
    const { app, visitor } = await this.sites.visitFrom(reply, given, origin);
    const file = readFile(given);
    await this.files.take({ appId: app.id, visitor: visitor.id }, file, address ?? '');
    return { id: file.id };
  }

  /** The bytes of a file of the visitor's own conversation. No browser may show them as a page of this origin. */
  @Post('files/read')
  @HttpCode(200)
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @Header('content-disposition', 'attachment')
  @Header('cache-control', 'no-store')
  async readFile(
    @Headers('origin') origin: string | undefined,
    @Headers('x-forwarded-for') address: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const given = readBody(body);
    const { app, visitor } = await this.sites.visitFrom(reply, given, origin);
    const of = { appId: app.id, visitor: visitor.id };
    const content = await this.files.contentFor(of, readFileId(given), address ?? '');
    return new StreamableFile(content, { type: 'application/octet-stream', length: content.length });
  }

  /** The newest messages of the conversation, or those after one, and then what comes: server-sent events. */
  @Post('streams')
  async read(
    @Headers('origin') origin: string | undefined,
    @Headers('x-forwarded-for') address: string | undefined,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const given = readBody(body);
    const visit = await this.sites.visitFrom(reply, given, origin);
    const { app, visitor } = visit;
    const after = readAfter(given);
    this.streams.requireRoom(app.id, address ?? '');
    const mail = await this.addresses.known(visit);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    const scope = scopeOf(app);
    const of = {
      ...scope,
      appId: app.id,
      visitor: visitor.id,
      until: visitor.until,
      address: address ?? '',
      after,
      mail,
    };
    await this.streams.serve(of, reply.raw).catch((error: unknown) => {
      reply.raw.destroy();
      throw error;
    });
  }
}
