import type { Capability, Manifest } from '#libs/adapter-sdk';
import { ChangeCache, ChangeListener } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { InstalledRepository } from '../adapters/installed.repository.js';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';

export interface InstalledApp {
  app: AppRow;
  /** Null for the built-in Webhook app. */
  adapter: InstalledAdapter | null;
}

export interface InstalledAdapter {
  id: string;
  baseUrl: string;
  manifest: Manifest;
  /** A person took it out of use. */
  disabled: boolean;
}

/** How stale an entry may get without change notifications: other replicas write too, such as another credential. */
const unheardMs = 50;
const maxCached = 10_000;

/** Apps with their adapters, cached until one of them changes: every message needs them. */
@Injectable()
export class InstalledApps {
  private readonly cache: ChangeCache<InstalledApp>;

  constructor(
    private readonly rows: InstalledRepository,
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
    const app = await this.rows.app(appId);
    if (!app) throw new PermanentFailure('app_not_found', `there is no App ${appId}`);
    if (app.kind === 'builtin') return { app, adapter: null };
    const adapter = app.adapter_id ? await this.rows.adapter(app.adapter_id) : null;
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

/** Whether the App can deliver anything: it was installed with `send`, and its adapter still offers it. */
export function canSend({ app, adapter }: InstalledApp): boolean {
  return capabilitiesOf(app, adapter?.manifest ?? null).includes('send');
}

/**
 * What an App can do now: the capabilities it was installed with that the manifest in force still offers. A withdrawn
 * one comes back with a version that offers it.
 * @param manifest null for the built-in Webhook app
 */
export function capabilitiesOf(
  { capabilities }: Pick<AppRow, 'capabilities'>,
  manifest: Pick<Manifest, 'capabilities'> | null,
): Capability[] {
  return manifest === null ? capabilities : capabilities.filter((one) => manifest.capabilities.includes(one));
}

/** @throws PermanentFailure `receive_withdrawn` for what came before the manifest in force stopped offering it */
export function requireReceiving({ app, adapter }: InstalledApp): void {
  if (!adapter || capabilitiesOf(app, adapter.manifest).includes('receive')) return;
  const help = 'put one in force that does, then replay';
  const { slug } = adapter.manifest;
  throw new PermanentFailure('receive_withdrawn', `the manifest in force of ${slug} no longer offers receive: ${help}`);
}
