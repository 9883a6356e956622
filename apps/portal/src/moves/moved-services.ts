import type { ProjectScope } from '#libs/contracts';
import { type OpenCount, ProjectRows, removalMs, type RowsInventory, type RowsPage } from '#libs/project-rows';
import { type Audience, notFound, type ServiceClient, ServiceTokens } from '#libs/service-kit';
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

  /** The portal first: its rows say that there is a project. */
  get names(): Audience[] {
    return ['portal', ...this.clients.keys()];
  }

  /** @throws Problem 503 when the service does not answer */
  async inventory(scope: ProjectScope, service: Audience): Promise<RowsInventory> {
    if (service === 'portal') return this.own.inventory(scope);
    return this.client(service).get('/internal/project-rows', scope);
  }

  /** What of a service has to end, besides what waits elsewhere as rows that move. */
  async open(scope: ProjectScope, service: Audience, elsewhere: string[]): Promise<OpenCount[]> {
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

  async store(scope: ProjectScope, service: string, table: string, page: RowsPage): Promise<void> {
    if (service === 'portal') await this.own.store(scope, table, page);
    else await this.client(service).post('/internal/project-rows', scope, { table, page });
  }

  /**
   * Deletes what a project has here, and the portal's last: as long as they are there, the project is known.
   * @returns whether nothing is left: a request deletes for some seconds only
   */
  async remove(scope: ProjectScope): Promise<boolean> {
    const path = '/internal/project-rows';
    const removed = await Promise.all(
      [...this.clients.values()].map((client) => client.delete<{ isDone: boolean }>(path, scope)),
    );
    return removed.every(({ isDone }) => isDone) && (await this.own.remove(scope, removalMs));
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
