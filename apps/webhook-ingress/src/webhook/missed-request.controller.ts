import {
  AsGiven,
  bodyTooLarge,
  Caller,
  notFound,
  type Principal,
  Problem,
  RequireScopes,
  Text,
} from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { hash as digest } from 'node:crypto';
import { EndpointService } from '../endpoints/endpoint.service.js';
import { Dispatcher } from '../receipts/dispatcher.js';
import { ReceiptWriter } from '../receipts/receipt-writer.js';
import { deliveryIdOf } from '../request/incoming.js';
import { receiptOf } from './answer.js';

class MissedRequestBody {
  @Text(100) app_id: string;
  @Text(500, { minLength: 1 }) id: string;
  @IsOptional() @AsGiven() @IsObject() headers?: Record<string, string>;
  @IsOptional() @AsGiven() @IsObject() query?: Record<string, string>;
  @AsGiven() @IsString() body: string;
  @IsOptional() @IsIn(['utf8', 'base64']) body_encoding?: 'utf8' | 'base64';
}

/** Whoever asked the provider for it knows that it is the provider's: there is no signature to check. */
const scheme = 'asked_again';

@ApiExcludeController()
@Controller('internal/missed-requests')
@RequireScopes('service')
export class MissedRequestController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly writer: ReceiptWriter,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Stores a request that the gateway has fetched from the provider; under the same id only once. */
  @Post()
  @HttpCode(200)
  async store(@Caller() caller: Principal, @Body() sent: MissedRequestBody): Promise<{ stored: boolean; id: string }> {
    const endpoint = this.endpoints.get(sent.app_id);
    if (
      !endpoint ||
      endpoint.organization_id !== caller.organizationId ||
      endpoint.project_id !== caller.projectId ||
      endpoint.kind !== 'adapter'
    ) {
      throw notFound('app', sent.app_id);
    }
    if (endpoint.state !== 'active' && endpoint.state !== 'paused') {
      throw new Problem(409, endpoint.state, 'The App takes no messages.');
    }
    const body = Buffer.from(sent.body, sent.body_encoding ?? 'utf8');
    if (body.length > endpoint.max_body_bytes) throw bodyTooLarge(endpoint.max_body_bytes);
    const headers = lowerCased(sent.headers ?? {});
    const query = new URLSearchParams(sent.query).toString();
    const incoming = {
      method: 'POST',
      url: `/api/v1/webhooks/${scheme}${query === '' ? '' : `?${query}`}`,
      token: '',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      compressed: null,
      remoteAddress: scheme,
      probe: false,
    };
    const receipt = { ...receiptOf(endpoint, incoming, scheme), reason: scheme } as const;
    // The key of the webhook itself, if it has one: then the first of both is stored.
    const key = deliveryIdOf(endpoint, headers)?.key ?? `${scheme}:${sent.id}`;
    const hash = (of: string | Buffer): string => digest('sha256', of, 'binary');
    const written = await this.writer.write(receipt, { hash: hash(key), bodyHash: hash(body) });
    if (!written.stored) return { stored: false, id: written.firstId };
    if (receipt.outcome !== 'held') this.dispatcher.offer(receipt, undefined, endpoint);
    return { stored: true, id: receipt.id };
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
