import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { AdapterRow } from '../../entities/app.entity.js';
import { HealthPoller } from '../adapters/health-poller.js';
import { HealthProbe } from '../adapters/health.js';
import { ManifestFetch } from '../adapters/manifest.js';
import { AppBindings } from '../apps/app-bindings.js';
import { InstalledApps } from '../../path/apps/installed-apps.js';
import { AdapterChangeRepository } from './adapter-change.repository.js';
import type { ChangeAdapter } from './adapter.dto.js';
import { AdapterService } from './adapter.service.js';

/** Moves, renames, disables and unregisters adapters. */
@Injectable()
export class AdapterChangeService {
  constructor(
    private readonly adapters: AdapterService,
    private readonly rows: AdapterChangeRepository,
    private readonly manifests: ManifestFetch,
    private readonly health: HealthProbe,
    private readonly poller: HealthPoller,
    private readonly installed: InstalledApps,
    private readonly bindings: AppBindings,
  ) {}

  /** @throws Problem 404; those of `move` for a new `url` */
  async change(caller: Principal, id: string, { url, name, disabled }: ChangeAdapter): Promise<AdapterRow> {
    const row = await this.adapters.get(caller, id);
    const moved = url === undefined ? {} : await this.move(caller, row, url.replace(/\/$/, ''));
    const touched = await this.rows.change(id, {
      ...moved,
      ...(name === undefined ? {} : { name }),
      ...(disabled === undefined || disabled === row.disabled ? {} : { disabled }),
    });
    this.installed.forget();
    this.bindings.announce(touched);
    // Polls at once, so that waiting work resumes now and not at the next poll.
    if (url !== undefined || disabled === false) await this.poller.poll(await this.adapters.get(caller, id));
    return this.adapters.get(caller, id);
  }

  /** @throws Problem 404, 409 `adapter_in_use` naming the Apps */
  async unregister(caller: Principal, id: string): Promise<void> {
    const { slug } = await this.adapters.get(caller, id);
    const usedBy = await this.rows.unregister(id);
    if (usedBy.length === 0) return;
    const names = usedBy.map((app) => `${app.name} (${app.id})`).join(', ');
    throw new Problem(409, 'adapter_in_use', `Apps of ${slug} are installed: ${names}. Retire them first.`);
  }

  /**
   * Fetches manifest and health of the adapter at a new address. A manifest that is not in force needs approval as
   * usual.
   * @throws Problem 422 `skill_only | adapter_unreachable | invalid_manifest | slug_mismatch | adapter_unready`, 409
   * `manifest_needs_approval`
   */
  private async move(caller: Principal, row: AdapterRow, baseUrl: string): Promise<Partial<AdapterRow>> {
    if (row.base_url === null) {
      throw new Problem(422, 'skill_only', `${row.slug} is a skill without an adapter: it has no address to change.`);
    }
    const manifest = await this.manifests.from(caller, baseUrl);
    if (manifest.slug !== row.slug) {
      const detail = `The adapter at ${baseUrl} is ${manifest.slug}, not ${row.slug}: register it as a new adapter.`;
      throw new Problem(422, 'slug_mismatch', detail);
    }
    const { misnamed: _misnamed, ...health } = await this.health.ask(baseUrl, row.slug, caller);
    if (health.state !== 'ready') {
      throw new Problem(422, 'adapter_unready', `The adapter at ${baseUrl} is not ready: ${health.state_reason}.`);
    }
    const { version, inForce } = await this.adapters.take(caller, row, manifest);
    if (!inForce) {
      const changed = version.differences.filter((one) => one.needs_approval).map(({ path }) => path);
      throw new Problem(
        409,
        'manifest_needs_approval',
        `The manifest at ${baseUrl} differs in ${changed.join(', ')}: approve version ${version.number}, then move the adapter.`,
      );
    }
    return {
      base_url: baseUrl,
      ...health,
      checked_at: new Date(),
      failed_polls: 0,
      violation: null,
      violation_at: null,
    };
  }
}
