import type { FormatResult } from '#libs/adapter-sdk';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AdapterCall,
  DeliverCall,
  FetchFileCall,
  FormatCall,
  IndicateCall,
  ListChangesCall,
} from './adapter-call.dto.js';
import { AdapterCallService } from './adapter-call.service.js';
import { Outbox, type OutboxAnswer } from './outbox.js';
import type { VerifyOutcome } from './verify-outcome.js';

@ApiTags('internal')
@Controller('internal/adapter-calls')
@RequireScopes('service')
export class AdapterCallController {
  constructor(
    private readonly calls: AdapterCallService,
    private readonly outbox: Outbox,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'callVerify',
    summary: 'Check whether a provider accepts credentials, and to whom they belong',
  })
  verify(@Caller() caller: Principal, @Body() body: AdapterCall): Promise<VerifyOutcome> {
    return this.calls.verify(caller, body);
  }

  @Post('deliver')
  @HttpCode(200)
  @ApiOperation({ operationId: 'callDeliver', summary: 'Deliver a message once; the answer has its state' })
  deliver(@Caller() caller: Principal, @Body() body: DeliverCall): Promise<OutboxAnswer> {
    return this.outbox.deliver(caller, body);
  }

  @Post('indicate')
  @HttpCode(200)
  @ApiOperation({ operationId: 'callIndicate', summary: 'Show in a channel that an answer is being written' })
  indicate(@Caller() caller: Principal, @Body() body: IndicateCall): Promise<{ ok: boolean }> {
    return this.calls.indicate(caller, body);
  }

  @Post('format')
  @HttpCode(200)
  @ApiOperation({ operationId: 'callFormat', summary: "Convert Markdown to a platform's own markup" })
  format(@Caller() caller: Principal, @Body() body: FormatCall): Promise<FormatResult> {
    return this.calls.format(caller, body);
  }

  @Post('list-changes')
  @HttpCode(200)
  @ApiOperation({ operationId: 'callListChanges', summary: 'List one page of changed documents' })
  listChanges(@Caller() caller: Principal, @Body() body: ListChangesCall): Promise<object> {
    return this.calls.listChanges(caller, body);
  }

  @Post('fetch-file')
  @HttpCode(200)
  @ApiOperation({ operationId: 'callFetchFile', summary: 'Fetch one document, in base64' })
  fetchFile(@Caller() caller: Principal, @Body() body: FetchFileCall): Promise<object> {
    return this.calls.fetchFile(caller, body);
  }
}
