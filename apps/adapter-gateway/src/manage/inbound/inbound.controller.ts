import type { HandshakeResult, InboundRequest, NormalizedMessage } from '#libs/contracts';
import { AsGiven, Caller, notFound, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsBoolean, IsObject, IsString, MaxLength } from 'class-validator';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { AppService } from '../apps/app.service.js';
import { InstalledApps } from '../../path/apps/installed-apps.js';
import { Handshakes, type PossibleHandshake } from './handshakes.js';
import { ParsedMessagesRepository } from '../../path/inbound/inbound.repository.js';

class HandshakeBody implements PossibleHandshake {
  @AsGiven() @IsObject() request: InboundRequest;
  @IsString() received_at: string;
  @IsBoolean() verified: boolean;
  @IsBoolean() declared: boolean;
}

class ViolationBody {
  @IsString() @MaxLength(500) violation: string;
}

class AddressBody {
  @Text(2_000) address: string;
}

class ReplyAddressBody {
  @Text(2_000, { nullable: true }) reply_address: string | null;
}

@ApiExcludeController()
@Controller('internal')
@RequireScopes('service')
export class InboundController {
  constructor(
    private readonly handshakes: Handshakes,
    private readonly apps: AppService,
    private readonly installed: InstalledApps,
    private readonly adapters: AdapterClient,
    private readonly parsed: ParsedMessagesRepository,
  ) {}

  /** Asks an App's adapter whether it accepts a request, and whether the request is a handshake. */
  @Post('apps/:id/handshake')
  @HttpCode(200)
  async handshake(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: HandshakeBody,
  ): Promise<HandshakeResult> {
    return this.handshakes.answer(caller, id, body);
  }

  /**
   * Records a violation that only the router can detect: triggers need a field that the adapter left out (spec 4.1).
   */
  @Post('apps/:id/contract-violations')
  @HttpCode(204)
  async violation(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ViolationBody): Promise<void> {
    await this.apps.get(caller, id);
    const { adapter } = await this.installed.get(id);
    if (adapter) this.adapters.showViolation(adapter.baseUrl, body.violation);
  }

  /** Whether an App is installed, for services that store data about it. */
  @Get('apps/:id')
  async app(@Caller() caller: Principal, @Param('id') id: string): Promise<{ id: string; kind: string; name: string }> {
    const { kind, name } = await this.apps.get(caller, id);
    return { id, kind, name };
  }

  /** Checks where a service wants to send through an App. @throws Problem 422 `app_cannot_send`, `invalid_reply_address` */
  @Post('apps/:id/address-checks')
  @HttpCode(200)
  async address(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { address }: AddressBody,
  ): Promise<{ kind: string; signs: boolean }> {
    const { kind, credentials } = await this.apps.checkAddress(caller, id, address);
    return { kind, signs: Object.keys(credentials).length > 0 };
  }

  /** Checks the reply address of an App's channel, and records on the App that there is one. */
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
