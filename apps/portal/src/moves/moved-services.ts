import type { ProjectScope } from '#libs/contracts';
import type { ProjectHold } from '#libs/journal';
import { type OpenCount, ProjectRows, removalMs, type RowsInventory, type RowsPage } from '#libs/project-rows';
import { type Audience, notFound, Problem, type ServiceClient, ServiceTokens } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { clientsOfMoves } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';

export interface ArrivalKey {
  public_key: Record<string, unknown>;
  thumbprint: string;
}

/** The rows of a project in every service, the portal included. */
@Injectable()
export class MovedServices {
  private readonly clients: Map<Audience, ServiceClient>;

  constructor(
    private readonly own: ProjectRows,
    tokens: ServiceTokens,
    @Inject(SETTINGS) settings: PortalSettings,
  ) {
    this.clients = clientsOfMoves(settings, tokens);
  }

  /**
   * Of every service, the portal first: its rows say that there is a project.
   * @throws Problem 503 when a service does not answer
   */
  async inventories(scope: ProjectScope): Promise<(RowsInventory & { service: Audience })[]> {
    const names: Audience[] = ['portal', ...this.clients.keys()];
    const found = await Promise.all(
      names.map(async (service) => ({ service, ...(await this.inventory(scope, service)) })),
    );
    // What waits is listed before the others count again: nothing begins to wait unseen in between.
    const waiting = found.flatMap((each) => each.waiting);
    if (waiting.length === 0) return found;
    return Promise.all(
      found.map(async (each) =>
        each.open.length === 0 ? each : { ...each, open: await this.open(scope, each.service, waiting) },
      ),
    );
  }

  private async inventory(scope: ProjectScope, service: Audience): Promise<RowsInventory> {
    if (service === 'portal') return this.own.inventory(scope);
    return this.client(service).get('/internal/project-rows', scope);
  }

  /** What of a service has to end, besides what waits elsewhere as rows that move. */
  private async open(scope: ProjectScope, service: Audience, elsewhere: string[]): Promise<OpenCount[]> {
    if (service === 'portal') return this.own.open(scope, elsewhere);
    return this.client(service).post('/internal/project-rows/open', scope, { elsewhere });
  }

  page(
    scope: ProjectScope,
    service: string,
    asked: { table: string; after: string | null; upto?: string | null; recipient: Record<string, unknown> },
  ): Promise<RowsPage & { next: string | null }> {
    if (service === 'portal') return this.own.page(scope, asked.table, asked.after, asked.upto);
    return this.client(service).post('/internal/project-rows/pages', scope, asked);
  }

  /** @param held under which the page came */
  async store(held: ProjectHold, service: string, table: string, page: RowsPage): Promise<void> {
    const scope = { organizationId: held.organization_id, projectId: held.project_id };
    if (service === 'portal') await this.own.store(scope, table, page, held.held_since);
    else await this.client(service).post('/internal/project-rows', scope, { table, page });
  }

  /**
   * Deletes what a project has here, and the portal's last: as long as they are there, the project is known.
   * @returns whether nothing is left: a request deletes for some seconds only, in all services together
   */
  async remove(scope: ProjectScope): Promise<boolean> {
    const endMs = performance.now() + removalMs;
    const path = `/internal/project-rows?within_ms=${removalMs}`;
    const removed = await Promise.all(
      [...this.clients.values()].map(async (client) => {
        try {
          return (await client.delete<{ isDone: boolean }>(path, scope)).isDone;
        } catch (error) {
          // Another request was done first, and has changed the hold: asked again, it is seen.
          if (error instanceof Problem && error.code === 'not_held') return false;
          throw error;
        }
      }),
    );
    return removed.every((isDone) => isDone) && (await this.own.remove(scope, endMs - performance.now()));
  }

  arrivalKey(scope: ProjectScope): Promise<ArrivalKey> {
    return this.client('credential-vault').get('/internal/arrival-key', scope);
  }

  private client(service: string): ServiceClient {
    const client = this.clients.get(service as Audience);
    if (!client) throw notFound('service', service);
    return client;
  }
}
