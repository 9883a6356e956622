import type { Manifest } from '#libs/adapter-sdk';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { AppCredentials } from '../apps/app-credentials.js';
import type { AppRow } from '../apps/app.entity.js';
import { AppRepository } from '../apps/app.repository.js';
import { AppsService } from '../apps/apps.service.js';
import { mapCredentials } from '../apps/mapped-credentials.js';
import type { InstallListing } from './listing.dto.js';
import { builtinListing, type Listing, listingOf } from './listing.js';

/** Listings of a project, and Apps installed from them. */
@Injectable()
export class ListingsService {
  constructor(
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
    @Inject(AppRepository) private readonly rows: AppRepository,
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
  ) {}

  async list(caller: Principal): Promise<Listing[]> {
    const [adapters, apps] = await Promise.all([this.adapters.list(caller), this.rows.list(caller)]);
    const installed = new Map(apps.map((app) => [app.adapter_id, app.id]));
    return [builtinListing, ...adapters.map((row) => listingOf(row, installed.get(row.id) ?? null))];
  }

  async get(caller: Principal, slug: string): Promise<Listing> {
    const listing = (await this.list(caller)).find((entry) => entry.slug === slug);
    if (!listing) throw notFound('listing', slug);
    return listing;
  }

  /**
   * Installs an App. A credential that is given has to fill what the manifest requires; it may come later.
   * @throws Problem as `AppsService.install`; 422 `credential_not_found | credential_incomplete`
   */
  async install(caller: Principal, slug: string, body: InstallListing): Promise<AppRow> {
    const listing = await this.get(caller, slug);
    const adapter = listing.adapter ? await this.adapters.find(caller, listing.adapter.id) : null;
    if (body.credential_id && adapter) await this.requireFields(caller, body.credential_id, adapter.manifest);
    return this.apps.install(caller, {
      name: body.name ?? listing.name,
      kind: adapter ? 'adapter' : 'builtin',
      ...(adapter ? { adapter_id: adapter.id } : {}),
      ...(body.credential_id ? { credential_id: body.credential_id } : {}),
      ...(body.capabilities ? { capabilities: body.capabilities } : {}),
    });
  }

  private async requireFields(caller: Principal, credentialId: string, manifest: Manifest): Promise<void> {
    const opened = await this.credentials.named(caller, credentialId);
    if (!opened || opened.type === 'oauth2') return;
    const wanted = manifest.credentials.filter(({ required }) => required !== false);
    const mapped = mapCredentials(opened, manifest);
    const missing = wanted.filter(({ maps_to: mapsTo }) => mapped[mapsTo] === undefined);
    if (missing.length === 0) return;
    throw new Problem(
      422,
      'credential_incomplete',
      `The credential ${credentialId} does not have what the adapter expects.`,
      missing.map(({ key, label, maps_to: mapsTo }) => ({
        field: key,
        message: `${label}: is passed on as ${mapsTo}`,
      })),
    );
  }
}
