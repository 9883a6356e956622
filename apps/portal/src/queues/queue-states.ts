import type { ProjectScope } from '#libs/contracts';
import type { QueueState } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';
import type { QueueListView, QueueView } from './queue.dto.js';

/** Services that consume queues. */
const consumers = ['webhook-ingress', 'adapter-gateway', 'router', 'engine', 'mcp-registry'];

/** The queues of the installation, as the services that consume them see them. */
@Injectable()
export class QueueStates {
  constructor(@Inject(SERVICE_CLIENTS) private readonly services: NamedClient[]) {}

  async read(scope: ProjectScope): Promise<QueueListView> {
    const asked = this.services.filter(({ service }) => consumers.includes(service));
    const read = await Promise.all(asked.map((one) => statesOf(one, scope)));
    return { data: read.flatMap(({ data }) => data), silent: read.flatMap(({ silent }) => silent) };
  }
}

async function statesOf({ service, client }: NamedClient, scope: ProjectScope): Promise<QueueListView> {
  try {
    const { data } = await client.get<{ data: QueueState[] }>('/internal/queues', scope);
    return {
      data: data.flatMap(({ queue, depth }): QueueView[] => {
        if (!depth) return [];
        const { waiting, active, delayed, oldestMs } = depth;
        return [{ queue, service, waiting, active, delayed, oldest_ms: Math.round(oldestMs) }];
      }),
      silent: data.flatMap(({ queue, depth }) => (depth ? [] : [queue])),
    };
  } catch {
    return { data: [], silent: [service] };
  }
}
