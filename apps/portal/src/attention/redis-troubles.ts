import type { AttentionItem, ProjectScope } from '#libs/contracts';
import { JobClient, type RedisState } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';

interface Reported {
  service: string;
  trouble: RedisState;
}

/** For which services Redis does no work: each asks it as a user of its own. */
@Injectable()
export class RedisTroubles {
  constructor(
    @Inject(SERVICE_CLIENTS) private readonly services: NamedClient[],
    private readonly jobs: JobClient,
  ) {}

  /** One item for each trouble, however many services have it. */
  async troubles(scope: ProjectScope): Promise<AttentionItem[]> {
    const asked = this.services.map(async ({ service, client }) => ({
      service,
      trouble: await troubleOf(client, scope),
    }));
    const own = { service: 'portal', trouble: this.jobs.health.state() };
    const reported = [...(await Promise.all(asked)), own].flatMap(({ service, trouble }): Reported[] =>
      trouble ? [{ service, trouble }] : [],
    );
    return [...Map.groupBy(reported, ({ trouble }) => trouble.code).values()].flatMap(itemOf);
  }
}

function itemOf(group: Reported[]): AttentionItem[] {
  const [first] = group.toSorted((a, b) => a.trouble.since.localeCompare(b.trouble.since));
  if (!first) return [];
  const names = group.map(({ service }) => service);
  return [
    {
      code: `redis_${first.trouble.code}`,
      severity: 'error',
      text: `The work of ${names.join(', ')} waits: ${first.trouble.text}.`,
      what_to_do: first.trouble.what_to_do,
      resource: { kind: 'service', id: names.length === 1 ? first.service : null },
      count: names.length,
      since: first.trouble.since,
      scope: 'events:read',
    },
  ];
}

/** A service that cannot be asked is an item of its own; one of an earlier release knows of no such question. */
async function troubleOf(client: NamedClient['client'], scope: ProjectScope): Promise<RedisState | null> {
  try {
    return (await client.get<{ trouble?: RedisState | null }>('/internal/redis', scope)).trouble ?? null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return null;
  }
}
