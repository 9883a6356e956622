import { Sweeping } from '#libs/database';
import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { vaultClient } from './vault-client.js';
import type { AppRow } from './app.entity.js';
import { AppRepository } from './app.repository.js';
import { linksOf } from './declared-credentials.js';

type Bound = Pick<AppRow, 'id' | 'organization_id' | 'project_id'>;

const sweepEveryMs = 2_000;
/** Longer than telling the vault takes: whoever changes an App tells it first. */
const settleAgainMs = 20_000;
/** An App that is changed more often than it can be told of is left to the sweep. */
const maxTold = 5;

/**
 * Keeps the vault's bindings as Apps have their credentials: it opens no record for an App that is not bound to it, and
 * deletes none that is. An App's row says when the vault is due to be told, so that a change is never half known.
 */
@Injectable()
export class AppBindings extends Sweeping {
  private readonly logger = new Logger('app-bindings');

  constructor(
    @Inject(AppRepository) private readonly apps: AppRepository,
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
    @Inject(vaultClient) private readonly vault: ServiceClient,
  ) {
    super();
    this.sweepEvery({
      name: 'app-bindings',
      everyMs: sweepEveryMs,
      batch: 50,
      sweep: async (limit) => {
        const due = await this.apps.takeBindingsDue(limit, settleAgainMs);
        for (const app of due) await this.trySettle(app);
        return due.length;
      },
    });
  }

  /** When the sweep looks after a change that its own process does not finish. */
  static dueAt(): Date {
    return new Date(Date.now() + settleAgainMs);
  }

  /** Before the App's row names them: whoever reads the row finds them bound. @throws Problem of the vault */
  async add(app: Bound, credentialIds: string[]): Promise<void> {
    const consumer = { kind: 'app', id: app.id };
    for (const credentialId of new Set(credentialIds)) {
      await this.vault.put('/internal/bindings', scopeOf(app), { credential_id: credentialId, consumer });
    }
  }

  /** Tells the vault exactly what the App uses now. @throws Problem of the vault */
  async settle(appId: string): Promise<void> {
    // Told anew where the App was changed meanwhile: of two that tell at once, the later one may be heard first.
    for (let times = 1; times <= maxTold; times += 1) {
      const app = await this.apps.byId(appId);
      if (!app || (await this.tell(app))) return;
    }
  }

  /** @returns false when the App was changed since this row was read */
  private async tell(app: AppRow): Promise<boolean> {
    const adapter = app.adapter_id ? await this.adapters.byId(app.adapter_id) : null;
    const idle = app.state === 'retired' || (app.kind === 'adapter' && adapter === null);
    const ids = idle ? [] : linksOf(app, adapter?.manifest ?? null).map(({ credential_id: id }) => id);
    const path = `/internal/bindings/app/${app.id}`;
    const { unknown } = await this.vault.put<{ unknown: string[] }>(path, scopeOf(app), { credential_ids: ids });
    if (unknown.length > 0) this.logger.warn({ event: 'credential.gone', app: app.id, credentials: unknown });
    return this.apps.bindingsSettled(app);
  }

  /** As `settle`; with the vault away the sweep tells it later. */
  async trySettle({ id }: Pick<AppRow, 'id'>): Promise<void> {
    try {
      await this.settle(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'bindings.not_told', app: id, code: error.code, detail: error.detail });
    }
  }
}

function scopeOf(app: Bound): Pick<Principal, 'organizationId' | 'projectId'> {
  return { organizationId: app.organization_id, projectId: app.project_id };
}
