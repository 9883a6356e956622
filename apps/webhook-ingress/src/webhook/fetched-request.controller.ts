import { Caller, notFound, type Principal, Problem, RequireScopes, Text, JsonObject } from '#libs/service-kit';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { EndpointService } from '../endpoints/endpoint.service.js';
import { Refused } from '../request/refused.js';
import { WebhookService } from './webhook.service.js';

class FetchedEvent {
  @Text(500, { minLength: 1, description: 'Names the event at its provider' }) id: string;
  @Text(26_214_400) body: string;
  @JsonObject({ optional: true, description: 'Of texts' }) headers?: Record<string, unknown>;
}

/** For the gateway, which fetches events of providers that cannot reach this installation. */
@ApiExcludeController()
@Controller('internal/apps/:id/events')
@RequireScopes('service')
export class FetchedEventController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly webhooks: WebhookService,
  ) {}

  /** Answered once the event is stored, or was before. */
  @Post()
  @HttpCode(200)
  async take(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() event: FetchedEvent,
  ): Promise<{ event_id: string; duplicate: boolean }> {
    if (!this.endpoints.get(id)) await this.endpoints.pullAfterNow();
    const endpoint = this.endpoints.get(id);
    if (endpoint?.organization_id !== caller.organizationId || endpoint.project_id !== caller.projectId) {
      throw notFound('app', id);
    }
    const body = Buffer.from(event.body);
    if (body.length > endpoint.max_body_bytes) {
      throw new Problem(
        413,
        'body_too_large',
        `The event has ${body.length} bytes; the App takes ${endpoint.max_body_bytes}.`,
      );
    }
    const given = Object.entries(event.headers ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    );
    const headers = { 'content-type': 'application/json', ...Object.fromEntries(given) };
    const url = '/fetched';
    const incoming = {
      method: 'POST',
      url,
      token: '',
      headers,
      body,
      compressed: null,
      remoteAddress: '',
      probe: false,
    };
    try {
      return await this.webhooks.take(endpoint, incoming, event.id);
    } catch (error) {
      throw error instanceof Refused ? new Problem(error.status, error.code, error.detail, [], error.headers) : error;
    }
  }
}
