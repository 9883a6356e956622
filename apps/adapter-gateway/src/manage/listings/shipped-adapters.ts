import type { Manifest } from '#libs/adapter-sdk';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { ManifestFetch } from '../adapters/manifest.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';

export interface ShippedAdapter {
  /** Where the adapter is mounted. */
  url: string;
  manifest: Manifest;
}

/** How long an answer is used again; one that could not be had, so that a server that starts is seen soon. */
const freshMs = 60_000;
const failureMs = 5_000;
const maxAdapters = 100;
/** Which adapters are shipped is no matter of a project. */
const nobody = { organizationId: '', projectId: '' };

/** Reads what the server at `ADAPTERS_URL` mounts, so that a project can install it without knowing its address. */
@Injectable()
export class ShippedAdapters {
  private readonly logger = new Logger('shipped-adapters');
  private answer: Promise<ShippedAdapter[]> | undefined;
  private freshUntilMs = 0;

  constructor(
    private readonly client: AdapterClient,
    private readonly manifests: ManifestFetch,
    @Inject(SETTINGS) private readonly settings: Pick<GatewaySettings, 'ADAPTERS_URL' | 'HEALTH_TIMEOUT_MS'>,
  ) {}

  /** @returns none where the server does not answer: its absence must not hide what is registered */
  list(): Promise<ShippedAdapter[]> {
    const { ADAPTERS_URL: baseUrl } = this.settings;
    if (baseUrl === null) return Promise.resolve([]);
    if (!this.answer || performance.now() >= this.freshUntilMs) {
      this.freshUntilMs = performance.now() + freshMs;
      this.answer = this.read(baseUrl.replace(/\/$/, '')).catch((error: unknown) => {
        this.failed(baseUrl, error);
        return [];
      });
    }
    return this.answer;
  }

  private async read(baseUrl: string): Promise<ShippedAdapter[]> {
    const index = await this.client.get<{ adapters?: unknown }>(baseUrl, '/', nobody, this.settings.HEALTH_TIMEOUT_MS);
    const slugs = Array.isArray(index.adapters) ? index.adapters.slice(0, maxAdapters) : [];
    const read = await Promise.allSettled(
      slugs.map(async (slug) => {
        const url = `${baseUrl}/${encodeURIComponent(String(slug))}`;
        return { url, manifest: await this.manifests.from(nobody, url) };
      }),
    );
    for (const each of read) if (each.status === 'rejected') this.failed(baseUrl, each.reason);
    return read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  private failed(baseUrl: string, error: unknown): void {
    this.freshUntilMs = performance.now() + failureMs;
    this.logger.warn({ event: 'shipped_adapters.unreadable', url: baseUrl, error: String(error) });
  }
}
