import { appChanged, type KeyCheck, scopeOf } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { VAULT } from '../../env.js';
import { linksOf, type VaultBindings } from '../../path/apps/app-credentials.js';
import { InstalledRepository } from '../../path/adapters/installed.repository.js';
import type { AppRow } from '../../entities/app.entity.js';
import { AppRepository } from './app.repository.js';
import { endpointOf, keyChecks, signingFields } from './endpoint-projection.js';

interface Used {
  credential_id: string;
  signing: string[] | null;
  adapter_slug?: string;
  /** What the vault checks before it stores a new value. */
  key_check: KeyCheck | null;
}

const sweepEveryMs = 2_000;
/** Longer than a call to the vault takes: whoever changes an App tells the vault first. */
const settleLeaseMs = 20_000;
/** An App that changes faster than the vault can be informed is left to the sweep. */
const maxRepeats = 5;

/**
 * Keeps the vault's bindings in step with the credentials of Apps: the vault opens no record for an App that is not
 * bound to it, and deletes none that is bound. An App's row says when the vault is due to be informed, so that no change is
 * left half known.
 */
@Injectable()
export class AppBindings extends Sweeping implements VaultBindings {
  private readonly logger = new Logger('app-bindings');

  constructor(
    private readonly apps: AppRepository,
    private readonly rows: InstalledRepository,
    @Inject(VAULT) private readonly vault: ServiceClient,
    private readonly jobs: JobClient,
  ) {
    super();
    this.sweepEvery({
      name: 'app-bindings',
      everyMs: sweepEveryMs,
      batch: 50,
      sweep: async (limit) => {
        const due = await this.apps.takeBindingsDue(limit, settleLeaseMs);
        for (const app of due) await this.trySettle(app);
        return due.length;
      },
    });
  }

  /** When the sweep takes over a change that its own process does not finish. */
  static dueAt(): Date {
    return new Date(Date.now() + settleLeaseMs);
  }

  /**
   * Adds bindings before the App's row changes: whoever reads the row finds its records bound.
   * @throws Problem of the vault
   */
  async add(app: AppRow): Promise<void> {
    const consumer = { kind: 'app', id: app.id };
    for (const used of await this.usedBy(app)) {
      await this.vault.put('/internal/bindings', scopeOf(app), { ...used, consumer });
    }
  }

  /** Tells the vault exactly what the App uses now. @throws Problem of the vault */
  async settle(appId: string): Promise<void> {
    // Repeats if the App changed meanwhile: of two concurrent calls, the vault may get the later one first.
    for (let times = 1; times <= maxRepeats; times += 1) {
      const app = await this.rows.app(appId);
      if (!app || (await this.putAll(app))) return;
    }
  }

  /** For Apps whose manifest changed: the ingress fetches their secrets again once the vault knows which they are. */
  announce(touched: Pick<AppRow, 'id' | 'version'>[]): void {
    for (const { id, version } of touched) {
      void this.trySettle({ id })
        .catch((error: unknown) => this.logger.warn({ event: 'bindings.not_settled', app: id, error: String(error) }))
        .then(() => this.jobs.enqueue(appChanged, { app_id: id, version }));
    }
  }

  /** @returns false when the App was changed since this row was read */
  private async putAll(app: AppRow): Promise<boolean> {
    const path = `/internal/bindings/app/${app.id}`;
    const credentials = await this.usedBy(app);
    const { unknown } = await this.vault.put<{ unknown: string[] }>(path, scopeOf(app), { credentials });
    if (unknown.length > 0) this.logger.warn({ event: 'credential.gone', app: app.id, credentials: unknown });
    return this.apps.bindingsSettled(app);
  }

  /** The records that the App uses, each with the fields that verify its webhooks. */
  private async usedBy(app: AppRow): Promise<Used[]> {
    const adapter = app.adapter_id ? await this.rows.adapter(app.adapter_id) : null;
    if (app.state === 'retired' || (app.kind === 'adapter' && adapter === null)) return [];
    const endpoint = endpointOf(app, adapter);
    const signing = signingFields(endpoint);
    const keys = keyChecks(endpoint);
    const ids = new Set(linksOf(app, adapter?.manifest ?? null).map(({ credential_id: id }) => id));
    // The vault refreshes tokens that somebody stored with a credential, if it knows where.
    const refreshes = adapter?.manifest?.oauth_config ? { adapter_slug: adapter.slug } : {};
    return [...ids].map((id) => ({
      credential_id: id,
      signing: signing.has(id) ? (signing.get(id) ?? null) : [],
      ...refreshes,
      key_check: keys.get(id) ?? null,
    }));
  }

  /** Like `settle`; if the vault is unavailable, the sweep tells it later. */
  async trySettle({ id }: Pick<AppRow, 'id'>): Promise<void> {
    try {
      await this.settle(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'bindings.not_settled', app: id, code: error.code, detail: error.detail });
    }
  }
}
