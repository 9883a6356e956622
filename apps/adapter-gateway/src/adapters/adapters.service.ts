import type { Manifest } from '#libs/adapter-sdk';
import { newId } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { AdapterClient } from './adapter-client.js';
import type { AdapterRow } from './adapter.entity.js';
import { AdapterRepository } from './adapter.repository.js';
import { readManifest } from './manifest.js';

/** Registers adapters by URL and polls their health. */
@Injectable()
export class AdaptersService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly poller: Sweeper;

  constructor(
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
    @Inject(AdapterClient) private readonly client: AdapterClient,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {
    this.poller = new Sweeper({
      name: 'adapter-health',
      everyMs: settings.HEALTH_POLL_MS,
      batch: 50,
      sweep: (limit) => this.pollDue(limit),
    });
  }

  onApplicationBootstrap(): void {
    this.poller.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.poller.stop();
  }

  /**
   * Registers the adapter at a URL: its manifest is fetched and checked, its health asked.
   * @throws Problem 422 `adapter_unreachable | invalid_manifest | slug_mismatch`, 409 `adapter_exists`
   */
  async register(caller: Principal, url: string): Promise<AdapterRow> {
    const baseUrl = url.replace(/\/$/, '');
    const manifest = await this.fetchManifest(caller, baseUrl);
    const known = await this.adapters.findBySlug(caller, manifest.slug);
    if (known) throw new Problem(409, 'adapter_exists', `The adapter ${manifest.slug} is registered as ${known.id}.`);
    const health = await this.health(baseUrl, manifest.slug);
    const row: AdapterRow = {
      id: newId('adp'),
      organization_id: caller.organizationId,
      project_id: caller.projectId,
      slug: manifest.slug,
      base_url: baseUrl,
      manifest,
      ...health,
      created_at: new Date(),
    };
    await this.adapters.insert(row);
    return row;
  }

  /** Fetches the manifest again. @throws Problem as `register` */
  async refresh(caller: Principal, id: string): Promise<AdapterRow> {
    const row = await this.get(caller, id);
    const manifest = await this.fetchManifest(caller, row.base_url);
    if (manifest.slug !== row.slug) {
      throw new Problem(422, 'slug_mismatch', `The adapter now says it is ${manifest.slug}, not ${row.slug}.`);
    }
    await this.adapters.update(id, { manifest, ...(await this.health(row.base_url, row.slug)) });
    return this.get(caller, id);
  }

  async get(caller: Principal, id: string): Promise<AdapterRow> {
    const row = await this.adapters.find(caller, id);
    if (!row) throw notFound('adapter', id);
    return row;
  }

  list(caller: Principal): Promise<AdapterRow[]> {
    return this.adapters.list(caller);
  }

  private async fetchManifest(caller: Principal, baseUrl: string): Promise<Manifest> {
    const value = await this.client
      .get<Record<string, unknown>>(baseUrl, '/manifest.json', caller)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Problem(422, 'adapter_unreachable', `No manifest at ${baseUrl}/manifest.json: ${reason}`);
      });
    const manifest = readManifest(value);
    const mount = new URL(baseUrl).pathname.split('/').at(-1);
    if (mount !== manifest.slug) {
      throw new Problem(
        422,
        'slug_mismatch',
        `The slug ${manifest.slug} is not the path the adapter is mounted under.`,
      );
    }
    return manifest;
  }

  private async pollDue(limit: number): Promise<number> {
    const due = await this.adapters.dueForPoll(this.settings.HEALTH_POLL_MS, limit);
    await Promise.all(due.map(async (row) => this.adapters.update(row.id, await this.health(row.base_url, row.slug))));
    return due.length;
  }

  private async health(
    baseUrl: string,
    slug: string,
  ): Promise<Pick<AdapterRow, 'state' | 'state_reason' | 'version' | 'latency_ms' | 'checked_at'>> {
    const startMs = performance.now();
    try {
      const health = await this.client.get<{ status?: unknown; version?: unknown; adapter?: unknown }>(
        baseUrl,
        '/health',
        {
          organizationId: '',
          projectId: '',
        },
      );
      const reason =
        health.status !== 'ready'
          ? `status is ${JSON.stringify(health.status)}`
          : health.adapter !== slug
            ? `adapter is ${JSON.stringify(health.adapter)}, not ${slug}`
            : null;
      return {
        state: reason ? 'unready' : 'ready',
        state_reason: reason,
        version: typeof health.version === 'string' ? health.version : 'unknown',
        latency_ms: performance.now() - startMs,
        checked_at: new Date(),
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { state: 'unready', state_reason: reason, version: null, latency_ms: null, checked_at: new Date() };
    }
  }
}
