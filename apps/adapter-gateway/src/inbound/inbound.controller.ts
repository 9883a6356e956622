import type { InboundRequest, NormalizedMessage } from '#libs/contracts';
import { Caller, notFound, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsObject, IsString } from 'class-validator';
import { AppsService } from '../apps/apps.service.js';
import { Handshakes, type HandshakeAnswer } from './handshakes.js';
import { ParsedMessagesRepository } from './parsed-messages.repository.js';

class HandshakeBody {
  @IsObject() request: InboundRequest;
  @IsString() received_at: string;
}

class ReplyAddressBody {
  @Text(2_000, { nullable: true }) reply_address: string | null;
}

@ApiExcludeController()
@Controller('internal')
@RequireScopes('service')
export class InboundController {
  constructor(
    @Inject(Handshakes) private readonly handshakes: Handshakes,
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(ParsedMessagesRepository) private readonly parsed: ParsedMessagesRepository,
  ) {}

  /** Asks an App's adapter whether a request is its provider's handshake. */
  @Post('apps/:id/handshake')
  @HttpCode(200)
  async handshake(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: HandshakeBody,
  ): Promise<{ answer: HandshakeAnswer | null }> {
    return { answer: await this.handshakes.answer(caller, id, body.request, body.received_at) };
  }

  /** Whether an App is installed, for services that keep something about it. */
  @Get('apps/:id')
  async app(@Caller() caller: Principal, @Param('id') id: string): Promise<{ id: string; kind: string }> {
    const { kind } = await this.apps.get(caller, id);
    return { id, kind };
  }

  /** Checks the reply address of an App's channel, and lets the App tell that it has one. */
  @Put('apps/:id/reply-address')
  @HttpCode(204)
  async replyAddress(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ReplyAddressBody,
  ): Promise<void> {
    await this.apps.noteReplyAddress(caller, id, body.reply_address);
  }

  /** The messages of a receipt that were too large for their job. */
  @Get('parsed-messages/:receiptId')
  async messages(
    @Caller() caller: Principal,
    @Param('receiptId') receiptId: string,
  ): Promise<{ messages: NormalizedMessage[] }> {
    const messages = await this.parsed.read(receiptId, caller.organizationId);
    if (!messages) throw notFound('event', receiptId);
    return { messages };
  }
}
