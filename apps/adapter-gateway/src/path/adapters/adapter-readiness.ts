import type { ProjectScope } from '#libs/contracts';
import { ChangeCache, ChangeListener } from '#libs/database';
import { RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { InstalledRepository, type NotReady } from './installed.repository.js';

/** How stale an entry may get without change notifications. */
const unheardMs = 50;
const maxCached = 10_000;

/**
 * Whether an adapter may be called. Asked before every call, so that one that is not ready gets none, whichever replica
 * learned of it, and whatever the call is for.
 */
@Injectable()
export class AdapterReadiness {
  /** By owner and address; null for an adapter that is ready. */
  private readonly cache: ChangeCache<NotReady | null>;

  constructor(
    private readonly rows: InstalledRepository,
    changes: ChangeListener,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    const { CHANGE_CACHE_MS: keptMs } = settings;
    this.cache = new ChangeCache(changes, { topic: 'app', maxKept: maxCached, keptMs, unheardMs });
  }

  /**
   * @param scope the owner of the adapter; without a project, any of the organization's at that address
   * @param delayMs when to ask again, if nothing releases the work before
   * @throws AdapterNotReady
   */
  async require(baseUrl: string, scope: ProjectScope, delayMs = this.settings.HEALTH_POLL_MS): Promise<void> {
    const key = `${scope.organizationId} ${scope.projectId} ${baseUrl}`;
    const read = (): Promise<NotReady | null> => this.rows.notReadyAt(baseUrl, scope);
    // One that is ready again is released at once, so what is cached is not enough to hold a call back.
    const found = (await this.cache.get(key, read)) && (await this.cache.renew(key, read));
    if (found) throw new AdapterNotReady(found, delayMs);
  }

  /** For a change by this process: its next call sees it. */
  forget(): void {
    this.cache.forget(null);
  }
}

export const notReadyCode = 'adapter_unready';

export const disabledCode = 'adapter_disabled';

/** Work for an adapter that is not ready waits until its health check passes, or until a person enables it. */
export class AdapterNotReady extends RunLater {
  constructor({ slug, reason, since, disabled }: NotReady, delayMs: number) {
    super(delayMs, disabled ? disabledCode : notReadyCode);
    const sinceThen = since === null ? '' : ` since ${since.toISOString().replace(/:\d\d\.\d+Z/, 'Z')}`;
    // Lists and pages of events show it behind "It waits for".
    this.message = disabled
      ? `the adapter ${slug}: disabled by a person`
      : `the adapter ${slug}: not ready${sinceThen}, because ${reason ?? 'it does not say why'}`;
  }
}
