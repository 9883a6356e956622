import { notFound, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { AppRepository } from '../apps/app.repository.js';
import { AppService } from '../apps/app.service.js';
import { AdapterService } from '../registration/adapter.service.js';
import type { InstallListing } from './listing.dto.js';
import { builtinListing, type Listing, listingOf, shippedListing } from './listing.js';
import { ShippedAdapters } from './shipped-adapters.js';

/** Listings of a project, and Apps installed from them. */
@Injectable()
export class ListingService {
  constructor(
    private readonly adapters: AdapterRepository,
    private readonly registration: AdapterService,
    private readonly shipped: ShippedAdapters,
    private readonly rows: AppRepository,
    private readonly apps: AppService,
  ) {}

  async list(caller: Principal): Promise<Listing[]> {
    const [adapters, apps, shipped] = await Promise.all([
      this.adapters.list(caller),
      this.rows.list(caller),
      this.shipped.list(),
    ]);
    const installed = new Map(apps.map((app) => [app.adapter_id, app.id]));
    const registered = new Set(adapters.map(({ slug }) => slug));
    return [
      builtinListing,
      ...adapters.map((row) => listingOf(row, installed.get(row.id) ?? null)),
      ...shipped.flatMap(({ manifest }) => (registered.has(manifest.slug) ? [] : [shippedListing(manifest)])),
    ];
  }

  async get(caller: Principal, slug: string): Promise<Listing> {
    const listing = (await this.list(caller)).find((entry) => entry.slug === slug);
    if (!listing) throw notFound('listing', slug);
    return listing;
  }

  /**
   * Installs an App. A credential that is given has to fit what the manifest declares; any of them may come later. A
   * shipped adapter that the project has not registered is registered first, and stays so when the rest is refused.
   * @throws Problem as `AppService.install` and `AdapterService.register`
   */
  async install(caller: Principal, slug: string, body: InstallListing): Promise<AppRow> {
    const listing = await this.get(caller, slug);
    const adapter = listing.kind === 'builtin' ? null : await this.registered(caller, slug);
    return this.apps.install(caller, {
      name: body.name ?? listing.name,
      kind: adapter ? 'adapter' : 'builtin',
      ...(adapter ? { adapter_id: adapter.id } : {}),
      ...(body.credential_id ? { credential_id: body.credential_id } : {}),
      ...(body.credentials ? { credentials: body.credentials } : {}),
      ...(body.capabilities ? { capabilities: body.capabilities } : {}),
    });
  }

  private async registered(caller: Principal, slug: string): Promise<AdapterRow> {
    const known = await this.adapters.findBySlug(caller, slug);
    if (known) return known;
    const shipped = (await this.shipped.list()).find(({ manifest }) => manifest.slug === slug);
    if (!shipped) throw notFound('listing', slug);
    try {
      return await this.registration.register(caller, { url: shipped.url });
    } catch (error) {
      // Two who install it at once register it once.
      const row = await this.adapters.findBySlug(caller, slug);
      if (!row) throw error;
      return row;
    }
  }
}
