import type { Credentials, Manifest } from '#libs/adapter-sdk';
import { type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { InstalledApp } from './installed-apps.js';

export const vaultClient = Symbol('vaultClient');

const freshMs = 2_000;
const maxCached = 5_000;

interface Resolved {
  type: string;
  fields: Record<string, string>;
}

/** The `credentials` object of adapter calls (spec 2.4): the App's record, its fields under their `maps_to` names. */
@Injectable()
export class AppCredentials {
  private readonly cache = new Map<string, { value: Promise<Resolved>; untilMs: number }>();

  constructor(@Inject(vaultClient) private readonly vault: ServiceClient) {}

  /** @throws Problem of the vault; `credential_not_found` when the App's record is gone */
  async of({ app, adapter }: InstalledApp): Promise<Credentials> {
    if (!app.credential_id) return {};
    const key = `${app.project_id} ${app.credential_id}`;
    let known = this.cache.get(key);
    if (!known || known.untilMs < Date.now()) {
      if (this.cache.size >= maxCached) this.cache.clear();
      const value = this.vault.post<Resolved>(
        '/internal/credentials/resolve',
        { organizationId: app.organization_id, projectId: app.project_id },
        { credential_id: app.credential_id },
      );
      known = { value, untilMs: Date.now() + freshMs };
      this.cache.set(key, known);
      value.catch(() => this.cache.delete(key));
    }
    return mapFields(await known.value, adapter?.manifest ?? null);
  }
}

function mapFields(resolved: Resolved, manifest: Manifest | null): Credentials {
  const credentials: Record<string, unknown> = { ...resolved.fields };
  for (const { key, maps_to: mapsTo } of manifest?.credentials ?? []) {
    const value = resolved.fields[key] ?? resolved.fields[key.toLowerCase()] ?? resolved.fields[mapsTo];
    if (value !== undefined) credentials[mapsTo] = value;
    else if (resolved.type === 'api_key') credentials[mapsTo] = resolved.fields['token'];
  }
  return credentials;
}
