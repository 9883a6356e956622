import type { ProjectScope } from '#libs/contracts';
import type { AuditLog, AuditQuery, AuditRecord } from '#libs/audit';
import {
  type Audience,
  type Page,
  pageOf,
  type Principal,
  Problem,
  ServiceClient,
  writeCursor,
} from '#libs/service-kit';
import type { ServiceTokens } from '#libs/service-kit';
import type { ActorNameRepository } from './actor-name.repository.js';
import type { UpstreamUrls } from '../proxy/route-table.js';

/** Services that keep an audit log of their own, besides the portal. */
const kept = {
  'adapter-gateway': 'GATEWAY_URL',
  engine: 'ENGINE_URL',
  'mcp-registry': 'MCP_REGISTRY_URL',
  router: 'ROUTER_URL',
} as const satisfies Partial<Record<Audience, keyof UpstreamUrls>>;

export function auditClients(urls: UpstreamUrls, tokens: ServiceTokens): Pick<ServiceClient, 'get'>[] {
  const services = Object.entries(kept) as [keyof typeof kept, keyof UpstreamUrls][];
  return services.map(([audience, setting]) => new ServiceClient(audience, urls[setting], tokens));
}

/** An entry with the current name of its actor. */
export type NamedRecord = AuditRecord & { actor_name: string | null };

/**
 * Merges the audit logs of all services. Each service writes its own log, in the transaction of the change. Ids sort by
 * time, so pages are merged by id.
 */
export class AuditTrail {
  constructor(
    private readonly own: AuditLog,
    private readonly others: Pick<ServiceClient, 'get'>[],
    private readonly names: Pick<ActorNameRepository, 'of'>,
  ) {}

  /**
   * In the requested order.
   * @throws Problem 503 `service_unavailable` when a service does not answer: a page without its entries would look
   *   complete
   */
  async page({ organizationId, projectId }: Principal, query: AuditQuery): Promise<Page<NamedRecord>> {
    const scope = { organizationId, projectId };
    const { limit, order } = query;
    const newer = order === 'asc' ? 1 : -1;
    const [own, ...others] = await Promise.all([
      this.own.list(scope, limit + 1, query),
      ...this.others.map((other) => entriesOf(other, query, scope)),
    ]);
    const all = [...(own ?? []), ...others.flat()].sort((a, b) => (a.id < b.id ? -newer : newer));
    const page = pageOf(all.slice(0, limit + 1), limit, ({ id }) => id);
    const names = await this.names.of(
      organizationId,
      page.data.map(({ actor }) => actor),
    );
    return { ...page, data: page.data.map((entry) => ({ ...entry, actor_name: names.get(entry.actor) ?? null })) };
  }
}

async function entriesOf(
  other: Pick<ServiceClient, 'get'>,
  query: AuditQuery,
  scope: ProjectScope,
): Promise<AuditRecord[]> {
  try {
    return (await other.get<{ data: AuditRecord[] }>(`/internal/audit?${written(query)}`, scope)).data;
  } catch (error) {
    // The previous release of a service that kept no log.
    if (error instanceof Problem && error.status === 404) return [];
    throw error;
  }
}

/** The same query, as another service takes it. */
function written({ limit, cursor, order, action, actor, subject, before }: AuditQuery): string {
  const params = { limit: String(limit), cursor: cursor && writeCursor(cursor), order, action, actor, subject, before };
  return new URLSearchParams(Object.entries(params).filter((one): one is [string, string] => !!one[1])).toString();
}
