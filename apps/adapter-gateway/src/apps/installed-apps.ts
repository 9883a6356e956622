import type { Manifest } from '#libs/adapter-sdk';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterRow } from '../adapters/adapter.entity.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import type { AppRow } from './app.entity.js';
import { capabilitiesOf } from './capabilities.js';
import { AppRepository } from './app.repository.js';

/** Of one with an adapter: whether that is ready, its sweeps write. */
const freshMs = 1_000;
/** Of the built-in Webhook app, which only people change; here that takes effect at once. */
const freshBuiltinMs = 5_000;
const maxCached = 10_000;

export interface InstalledApp {
  app: AppRow;
  /** Null for the built-in Webhook app. */
  adapter: InstalledAdapter | null;
}

export interface InstalledAdapter {
  id: string;
  baseUrl: string;
  manifest: Manifest;
  ready: boolean;
  /** Why it is not ready. */
  reason: string | null;
  /** A person took it out of use. */
  disabled: boolean;
}

/** Whether the App can deliver anything: it was installed with `send`, and its adapter still has it. */
export function canSend({ app, adapter }: InstalledApp): boolean {
  return capabilitiesOf(app, adapter?.manifest ?? null).includes('send');
}

/** Apps with their adapters, kept for a moment: every message asks. */
@Injectable()
export class InstalledApps {
  private readonly cache = new Map<string, { value: Promise<InstalledApp>; untilMs: number }>();

  constructor(
    @Inject(AppRepository) private readonly apps: AppRepository,
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
  ) {}

  /** @throws PermanentFailure `app_not_found` */
  get(appId: string): Promise<InstalledApp> {
    const known = this.cache.get(appId);
    if (known && known.untilMs > Date.now()) return known.value;
    const value = this.read(appId);
    if (this.cache.size >= maxCached) this.cache.clear();
    const entry = { value, untilMs: Date.now() + freshMs };
    this.cache.set(appId, entry);
    value.then(
      ({ adapter }) => {
        if (adapter === null) entry.untilMs = Date.now() + freshBuiltinMs;
      },
      () => this.cache.delete(appId),
    );
    return value;
  }

  /** After a change by this process: its next call is of what is there now. */
  forget(): void {
    this.cache.clear();
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
  const { id, base_url: baseUrl, manifest, state, state_reason: reason, disabled } = row;
  if (baseUrl === null) throw new PermanentFailure('adapter_not_found', `${row.slug} has no adapter`);
  return { id, baseUrl, manifest, ready: state === 'ready' && !disabled, reason, disabled };
}
