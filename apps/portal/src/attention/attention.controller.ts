import type { AttentionItem } from '#libs/contracts';
import { Caller, holds, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';
import { QueueStates } from '../queues/queue-states.js';
import type { QueueView } from '../queues/queue.dto.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { RedisTroubles } from './redis-troubles.js';
import { ServiceReports } from './service-reports.js';
import { AttentionListView, type AttentionView } from './attention.dto.js';

const telling = ['webhook-ingress', 'adapter-gateway', 'router', 'engine', 'mcp-registry', 'credential-vault'];

@ApiTags('attention')
@Controller('api/v1/attention')
export class AttentionController {
  constructor(
    @Inject(SERVICE_CLIENTS) private readonly services: NamedClient[],
    private readonly redis: RedisTroubles,
    private readonly queues: QueueStates,
    private readonly reports: ServiceReports,
    @Inject(SETTINGS) private readonly settings: PortalSettings,
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
    const [reported, redis, queues] = await Promise.all([
      Promise.all(asked.map((one) => this.reports.of(one, caller))),
      this.redis.troubles(caller),
      this.queues.read(caller),
    ]);
    const late = queues.data.filter((queue) => queue.waiting > 0 && queue.oldest_ms > this.settings.QUEUE_ATTENTION_MS);
    const seen = [...redis, ...late.map(ofQueue), ...reported.flat()].filter(({ scope }) =>
      holds(caller.scopes, scope),
    );
    const data = seen.map(({ scope: _scope, ...shown }): AttentionView => shown);
    return { data: data.toSorted((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0)) };
  }
}

/** Jobs that are due and are not taken: their consumer stands still, or has more work than it can do. */
function ofQueue({ queue, service, waiting, active, oldest_ms: ms }: QueueView): AttentionItem {
  const stands = active === 0;
  const jobs = `${waiting} ${waiting === 1 ? 'job waits' : 'jobs wait'} in the queue ${queue}, the oldest for ${Math.round(ms / 1_000)} s`;
  return {
    code: stands ? 'queue_stands' : 'queue_late',
    severity: stands ? 'error' : 'warning',
    text: `${jobs}, and ${stands ? `${service} processes none` : `${service} processes ${active}`}. Messages of all projects wait.`,
    what_to_do: stands
      ? `See the log of ${service}: a consumer that takes nothing is made anew, and then its process is started again. Restart it if it does not.`
      : `${service} has more work than it can do at once: add a replica, or raise its QUEUE_CONCURRENCY.`,
    resource: { kind: 'service', id: service },
    count: waiting,
    since: new Date(Date.now() - ms).toISOString(),
    scope: 'events:read',
  };
}
