import type { AuditLog, AuditQuery, AuditRecord } from '#libs/audit';
import { type Behind, type ListRead, type ListReads, withBehind } from '#libs/list-reads';
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

export function auditClients(urls: UpstreamUrls, tokens: ServiceTokens): Pick<ServiceClient, 'getLagging'>[] {
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
    private readonly reads: Pick<ListReads, 'read'>,
    private readonly others: Pick<ServiceClient, 'getLagging'>[],
    private readonly names: Pick<ActorNameRepository, 'of'>,
  ) {}

  /**
   * In the requested order.
   * @throws Problem 503 `service_unavailable` when a service does not answer: a page without its entries would look
   *   complete
   */
  async page(caller: Principal, query: AuditQuery): Promise<Page<NamedRecord> & Behind> {
    const { organizationId } = caller;
    const { limit, order } = query;
    const newer = order === 'asc' ? 1 : -1;
    const read = await Promise.all([
      this.reads.read('audit', caller, (db) => this.own.list(caller, limit + 1, query, db)),
      ...this.others.map((other) => entriesOf(other, query, caller)),
    ]);
    const all = read.flatMap(({ value }) => value).sort((a, b) => (a.id < b.id ? -newer : newer));
    const page = pageOf(all.slice(0, limit + 1), limit, ({ id }) => id);
    const names = await this.names.of(
      organizationId,
      page.data.map(({ actor }) => actor),
    );
    const data = page.data.map((entry) => ({ ...entry, actor_name: names.get(entry.actor) ?? null }));
    const ages = read.flatMap(({ behindMs }) => behindMs ?? []);
    return withBehind({ value: { ...page, data }, behindMs: ages.length > 0 ? Math.max(...ages) : null });
  }
}

async function entriesOf(
  other: Pick<ServiceClient, 'getLagging'>,
  query: AuditQuery,
  { organizationId, projectId, mayLagMs }: Principal,
): Promise<ListRead<AuditRecord[]>> {
  try {
    const path = `/internal/audit?${written(query)}`;
    const page = await other.getLagging<{ data: AuditRecord[] } & Partial<Behind>>(
      path,
      { organizationId, projectId },
      mayLagMs,
    );
    return { value: page.data, behindMs: page.behind_ms ?? null };
  } catch (error) {
    // The previous release of a service that kept no log.
    if (error instanceof Problem && error.status === 404) return { value: [], behindMs: null };
    throw error;
  }
}

/** The same query, as another service takes it. */
function written({ limit, cursor, order, action, actor, subject, before }: AuditQuery): string {
  const params = { limit: String(limit), cursor: cursor && writeCursor(cursor), order, action, actor, subject, before };
  return new URLSearchParams(Object.entries(params).filter((one): one is [string, string] => !!one[1])).toString();
}
