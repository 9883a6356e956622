import { notFound, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import type { AppRow } from '../apps/app.entity.js';
import { AppRepository } from '../apps/app.repository.js';
import { AppService } from '../apps/app.service.js';
import type { InstallListing } from './listing.dto.js';
import { builtinListing, type Listing, listingOf } from './listing.js';

/** Listings of a project, and Apps installed from them. */
@Injectable()
export class ListingService {
  constructor(
    private readonly adapters: AdapterRepository,
    private readonly rows: AppRepository,
    private readonly apps: AppService,
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
   * Installs an App. A credential that is given has to fit what the manifest declares; any of them may come later.
   * @throws Problem as `AppService.install`
   */
  async install(caller: Principal, slug: string, body: InstallListing): Promise<AppRow> {
    const listing = await this.get(caller, slug);
    const adapter = listing.adapter ? await this.adapters.find(caller, listing.adapter.id) : null;
    return this.apps.install(caller, {
      name: body.name ?? listing.name,
      kind: adapter ? 'adapter' : 'builtin',
      ...(adapter ? { adapter_id: adapter.id } : {}),
      ...(body.credential_id ? { credential_id: body.credential_id } : {}),
      ...(body.credentials ? { credentials: body.credentials } : {}),
      ...(body.capabilities ? { capabilities: body.capabilities } : {}),
    });
  }
}
