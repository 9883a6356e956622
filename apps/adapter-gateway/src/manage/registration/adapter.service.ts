import type { Manifest } from '#libs/adapter-sdk';
import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { waitingSkill } from '../adapters/adapter-skill.js';
import type { AdapterRow } from '../../entities/app.entity.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { HealthPoller } from '../adapters/health-poller.js';
import { HealthProbe } from '../adapters/health.js';
import { ManifestFetch, readManifest } from '../adapters/manifest.js';
import { AppBindings } from '../apps/app-bindings.js';
import { InstalledApps } from '../../path/apps/installed-apps.js';
import type { RegisterAdapter } from './adapter.dto.js';
import type { ManifestVersionRow } from './manifest-version.entity.js';
import { ManifestVersionRepository } from './manifest-version.repository.js';
import type { TouchedApp } from './touched-app.repository.js';

const maxVersion = 1_000_000;
const builtinSlug = 'webhook';

/** The result of a refresh; `pending`: the version waits for approval. */
export interface RefreshedAdapter {
  adapter: AdapterRow;
  version: ManifestVersionRow;
  pending: boolean;
}

/** Registers adapters by URL, and decides which of their manifests is in force. */
@Injectable()
export class AdapterService {
  constructor(
    private readonly adapters: AdapterRepository,
    private readonly versions: ManifestVersionRepository,
    private readonly manifests: ManifestFetch,
    private readonly health: HealthProbe,
    private readonly poller: HealthPoller,
    private readonly installed: InstalledApps,
    private readonly bindings: AppBindings,
  ) {}

  /**
   * Registers the adapter at a URL (fetches and checks its manifest, asks for its health), or a skill-only manifest.
   * @throws Problem 422 `adapter_unreachable | invalid_manifest | slug_mismatch | url_or_manifest`, 409
   * `adapter_exists`
   */
  async register(caller: Principal, { url, manifest: given }: RegisterAdapter): Promise<AdapterRow> {
    if ((url === undefined) === (given === undefined)) {
      throw new Problem(422, 'url_or_manifest', 'Give the url of an adapter, or the manifest of a skill without one.');
    }
    const baseUrl = url?.replace(/\/$/, '') ?? null;
    const manifest = baseUrl ? await this.manifests.from(caller, baseUrl) : readManifest(given ?? {}, 'skill');
    if (manifest.slug === builtinSlug) {
      throw new Problem(
        409,
        'adapter_exists',
        `${builtinSlug} is the slug of the built-in Webhook app: give the adapter another slug.`,
      );
    }
    const known = await this.adapters.findBySlug(caller, manifest.slug);
    if (known)
      throw new Problem(409, 'adapter_exists', `The adapter ${manifest.slug} is already registered as ${known.id}.`);
    const health = baseUrl ? await this.health.ask(baseUrl, manifest.slug, caller) : null;
    if (health?.misnamed) throw new Problem(422, 'slug_mismatch', `/health says: ${health.state_reason}.`);
    const now = new Date();
    const row: AdapterRow = {
      id: newId('adp'),
      ...columnsOf(caller),
      slug: manifest.slug,
      name: null,
      disabled: false,
      base_url: baseUrl,
      manifest,
      manifest_version: 1,
      skill_announced: null,
      skill_credentials: {},
      skill: manifest.skill ? waitingSkill(1) : null,
      state: health?.state ?? 'ready',
      state_reason: health?.state_reason ?? null,
      version: health?.version ?? null,
      latency_ms: health?.latency_ms ?? null,
      checked_at: health ? now : null,
      failed_polls: health?.state === 'unready' ? 1 : 0,
      next_check_at: now,
      violation: null,
      violation_at: null,
      created_at: now,
    };
    await this.versions.register(row, caller.subject);
    return row;
  }

  /**
   * Fetches the manifest again (or takes the given one, for a skill-only listing) and polls the health.
   * @throws Problem as `register`
   */
  async refresh(caller: Principal, id: string, given?: Record<string, unknown>): Promise<RefreshedAdapter> {
    const row = await this.get(caller, id);
    if ((row.base_url === null) !== (given !== undefined)) {
      throw new Problem(422, 'url_or_manifest', 'Give the manifest for a skill without an adapter, and nothing else.');
    }
    const manifest = row.base_url
      ? await this.manifests.from(caller, row.base_url)
      : readManifest(given ?? {}, 'skill');
    if (manifest.slug !== row.slug) {
      throw new Problem(422, 'slug_mismatch', `The manifest now has the slug ${manifest.slug}, not ${row.slug}.`);
    }
    const { version, inForce } = await this.take(caller, row, manifest);
    if (row.skill?.state === 'failed') await this.adapters.retrySkill(id);
    await this.poller.poll(row);
    return { adapter: await this.get(caller, id), version, pending: !inForce };
  }

  /** Stores a fetched manifest as a version, and puts it in force unless that needs approval. */
  async take(
    caller: Principal,
    { id }: AdapterRow,
    manifest: Manifest,
  ): Promise<{ version: ManifestVersionRow; inForce: boolean }> {
    const { version, touched } = await this.versions.store(id, manifest, caller.subject);
    this.announce(touched);
    const { manifest_version: current } = await this.get(caller, id);
    return { version, inForce: current === version.number };
  }

  /** Puts a version in force that waits for approval. @throws Problem 404, 409 `already_in_force` */
  async approve(caller: Principal, id: string, number: number): Promise<AdapterRow> {
    const version = await this.otherVersion(caller, id, number);
    this.announce(await this.versions.activate(version, caller.subject));
    return this.get(caller, id);
  }

  /**
   * Puts a version in force again that was in force before. @throws Problem 404, 409 `already_in_force |
   * never_in_force`
   */
  async rollBack(caller: Principal, id: string, number: number): Promise<AdapterRow> {
    const version = await this.otherVersion(caller, id, number);
    if (version.activated_at === null) {
      throw new Problem(409, 'never_in_force', `Version ${number} was never in force: approve it instead.`);
    }
    this.announce(await this.versions.activate(version, null));
    return this.get(caller, id);
  }

  /** @throws Problem 404 */
  async version(caller: Principal, id: string, number: number): Promise<ManifestVersionRow> {
    await this.get(caller, id);
    const version = number > 0 && number <= maxVersion ? await this.versions.find(id, number) : null;
    if (!version) throw notFound('manifest_version', number);
    return version;
  }

  async listVersions(caller: Principal, id: string, before: number | null, limit: number) {
    await this.get(caller, id);
    return this.versions.list(id, before, limit);
  }

  async get(caller: ProjectScope, id: string): Promise<AdapterRow> {
    const row = await this.adapters.find(caller, id);
    if (!row) throw notFound('adapter', id);
    return row;
  }

  list(caller: Principal): Promise<AdapterRow[]> {
    return this.adapters.list(caller);
  }

  private async otherVersion(caller: Principal, id: string, number: number): Promise<ManifestVersionRow> {
    const version = await this.version(caller, id, number);
    const { manifest_version: inForce } = await this.get(caller, id);
    if (inForce === number) throw new Problem(409, 'already_in_force', `Version ${number} is in force already.`);
    return version;
  }

  private announce(touched: TouchedApp[]): void {
    this.installed.forget();
    this.bindings.announce(touched);
  }
}
