import {
  AsGiven,
  bodyTooLarge,
  Caller,
  JsonObject,
  notFound,
  OneOf,
  type Principal,
  Problem,
  RequireScopes,
  Text,
} from '#libs/service-kit';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { EndpointService } from '../endpoints/endpoint.service.js';
import { Refused } from '../request/incoming.js';
import { type FetchedAs, fetchedAs, WebhookService } from './webhook.service.js';

class FetchedRequest {
  @OneOf(fetchedAs, { description: 'missed: after an outage; fetched: instead of a webhook' }) as: FetchedAs;
  @Text(500, { minLength: 1, description: 'Names it at its provider' }) id: string;
  @AsGiven() @IsString() body: string;
  @OneOf(['utf8', 'base64'], { optional: true }) body_encoding?: 'utf8' | 'base64';
  @JsonObject({ optional: true, description: 'Of texts' }) headers?: Record<string, unknown>;
  @JsonObject({ optional: true, description: 'Of texts' }) query?: Record<string, unknown>;
}

/** For the gateway, which asks providers for what did not arrive, or cannot reach this installation. */
@ApiExcludeController()
@Controller('internal/apps/:id/fetched-requests')
@RequireScopes('service')
export class FetchedRequestController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly webhooks: WebhookService,
  ) {}

  /** Answered once the request is stored, or was before under the same id. */
  @Post()
  @HttpCode(200)
  async take(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() given: FetchedRequest,
  ): Promise<{ event_id: string; duplicate: boolean }> {
    if (!this.endpoints.get(id)) await this.endpoints.pullAfterNow();
    const endpoint = this.endpoints.get(id);
    if (endpoint?.organization_id !== caller.organizationId || endpoint.project_id !== caller.projectId) {
      throw notFound('app', id);
    }
    const body = Buffer.from(given.body, given.body_encoding ?? 'utf8');
    if (body.length > endpoint.max_body_bytes) throw bodyTooLarge(endpoint.max_body_bytes);
    const query = new URLSearchParams(textsOf(given.query)).toString();
    const headers = textsOf(given.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const incoming = {
      method: 'POST',
      url: `/${given.as}${query === '' ? '' : `?${query}`}`,
      token: '',
      headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
      body,
      compressed: null,
      remoteAddress: given.as,
      probe: false,
    };
    try {
      return await this.webhooks.take(endpoint, incoming, { as: given.as, id: given.id });
    } catch (error) {
      throw error instanceof Refused ? new Problem(error.status, error.code, error.detail, [], error.headers) : error;
    }
  }
}

function textsOf(given: Record<string, unknown> = {}): [string, string][] {
  return Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}
