import type { AttentionItem, ProjectScope } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';
import { QueueStates } from '../queues/queue-states.js';
import type { QueueView } from '../queues/queue.dto.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { RedisTroubles } from './redis-troubles.js';
import { ServiceReports } from './service-reports.js';
import { UnsentAlerts } from './unsent-alerts.js';

const telling = ['webhook-ingress', 'adapter-gateway', 'router', 'engine', 'mcp-registry', 'credential-vault'];

/** An item, and whose report it is in. */
export type ReportedItem = AttentionItem & { service: string };

export interface AttentionReport {
  items: ReportedItem[];
  /** Whose reports are missing: what they have said before may still be so. */
  unknown: string[];
}

/** What an item is about, however often it comes again and whatever its text says. */
export function causeOf({ code, resource }: Pick<AttentionItem, 'code' | 'resource'>): string {
  return [code, resource.kind, resource.id].filter((part) => part !== null).join(' ');
}

/** What needs attention in a project: the reports of all services, and what the portal itself sees. */
@Injectable()
export class AttentionList {
  constructor(
    @Inject(SERVICE_CLIENTS) private readonly services: NamedClient[],
    private readonly redis: RedisTroubles,
    private readonly queues: QueueStates,
    private readonly reports: ServiceReports,
    private readonly unsent: UnsentAlerts,
    @Inject(SETTINGS) private readonly settings: PortalSettings,
  ) {}

  async of(scope: ProjectScope): Promise<AttentionReport> {
    const asked = this.services.filter(({ service }) => telling.includes(service));
    const [reported, redis, queues, unsent] = await Promise.all([
      Promise.all(asked.map(async (one) => ({ service: one.service, ...(await this.reports.of(one, scope)) }))),
      this.redis.troubles(scope),
      this.queues.read(scope),
      this.unsent.items(scope),
    ]);
    const late = queues.data.filter((queue) => queue.waiting > 0 && queue.oldest_ms > this.settings.QUEUE_ATTENTION_MS);
    return {
      items: [
        ...redis.map((item) => ({ ...item, service: 'redis' })),
        ...late.map((queue) => ({ ...ofQueue(queue), service: queue.service })),
        ...unsent.map((item) => ({ ...item, service: 'portal' })),
        ...reported.flatMap(({ service, items }) => items.map((item) => ({ ...item, service }))),
      ],
      unknown: [
        ...reported.flatMap(({ service, answered }) => (answered ? [] : [service])),
        ...queues.silent,
        // A service that cannot be asked may be the one that could say it of Redis.
        ...(reported.every(({ answered }) => answered) ? [] : ['redis']),
      ],
    };
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
