import { ChangeCache, ChangeListener } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterRow } from '../adapters/adapter.entity.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { capabilitiesOf } from './capabilities.js';
import { AppRepository } from './app.repository.js';
import type { InstalledApp, InstalledAdapter } from './capabilities.js';

/** How stale an entry may get without change notifications: other replicas write too, such as another credential. */
const unheardMs = 50;
const maxCached = 10_000;

/** Whether the App can deliver anything: it was installed with `send`, and its adapter still offers it. */
export function canSend({ app, adapter }: InstalledApp): boolean {
  return capabilitiesOf(app, adapter?.manifest ?? null).includes('send');
}

/** Apps with their adapters, cached until one of them changes: every message needs them. */
@Injectable()
export class InstalledApps {
  private readonly cache: ChangeCache<InstalledApp>;

  constructor(
    private readonly apps: AppRepository,
    private readonly adapters: AdapterRepository,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: keptMs }: GatewaySettings,
  ) {
    this.cache = new ChangeCache(changes, { topic: 'app', maxKept: maxCached, keptMs, unheardMs });
  }

  /** @throws PermanentFailure `app_not_found` */
  get(appId: string): Promise<InstalledApp> {
    return this.cache.get(appId, () => this.read(appId));
  }

  /** For a change by this process: its next read sees it. */
  forget(): void {
    this.cache.forget(null);
  }

  private async read(appId: string): Promise<InstalledApp> {
    const app = await this.apps.byId(appId);
    if (!app) throw new PermanentFailure('app_not_found', `there is no App ${appId}`);
    if (app.kind === 'builtin') return { app, adapter: null };
    const adapter = app.adapter_id ? await this.adapters.byId(app.adapter_id) : null;
    if (!adapter) throw new PermanentFailure('adapter_not_found', `the App ${appId} has no adapter`);
    return { app, adapter: installedAdapter(adapter) };
  }
}

/** @throws PermanentFailure `adapter_not_found` for a skill-only listing */
export function installedAdapter(row: AdapterRow): InstalledAdapter {
  const { id, base_url: baseUrl, manifest, disabled } = row;
  if (baseUrl === null) throw new PermanentFailure('adapter_not_found', `${row.slug} has no adapter`);
  return { id, baseUrl, manifest, disabled };
}
