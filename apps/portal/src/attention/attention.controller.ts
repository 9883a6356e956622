import type { AttentionItem } from '#libs/contracts';
import { Caller, holds, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';
import { RedisTroubles } from './redis-troubles.js';
import { AttentionListView, type AttentionView } from './attention.dto.js';

/** The ingress has no list of its own: the router reports refusals from their counts. */
const telling = ['adapter-gateway', 'router', 'engine', 'mcp-registry', 'credential-vault'];

@ApiTags('attention')
@Controller('api/v1/attention')
export class AttentionController {
  constructor(
    @Inject(SERVICE_CLIENTS) private readonly services: NamedClient[],
    private readonly redis: RedisTroubles,
  ) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listAttention',
    summary: 'What does not work or waits for a person, one line each',
  })
  @ApiOkResponse({ type: AttentionListView })
  async list(@Caller() caller: Principal): Promise<AttentionListView> {
    const asked = this.services.filter(({ service }) => telling.includes(service));
    const [reported, redis] = await Promise.all([
      Promise.all(asked.map((one) => itemsOf(one, caller))),
      this.redis.troubles(caller),
    ]);
    const seen = [...redis, ...reported.flat()].filter(({ scope }) => holds(caller.scopes, scope));
    const data = seen.map(({ scope: _scope, ...shown }): AttentionView => shown);
    return { data: data.toSorted((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0)) };
  }
}

/** A service that does not answer is itself an item, and the most severe one. */
async function itemsOf({ service, client }: NamedClient, caller: Principal): Promise<AttentionItem[]> {
  try {
    return (await client.get<{ data: AttentionItem[] }>('/internal/attention', caller)).data;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [
      {
        code: 'service_silent',
        severity: 'error',
        text: `The service ${service} could not be asked what needs attention: ${error.detail}`,
        what_to_do: 'Check that it runs, and its log.',
        resource: { kind: 'service', id: service },
        count: 1,
        since: null,
        scope: 'events:read',
      },
    ];
  }
}
