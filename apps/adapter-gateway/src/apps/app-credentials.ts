import type { Credentials, Manifest } from '#libs/adapter-sdk';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { InstalledApp } from './installed-apps.js';

export const vaultClient = Symbol('vaultClient');

const freshMs = 2_000;
const maxCached = 5_000;

/** One value, or several that are all valid during a rotation. */
type Value = string | string[];

/** What the vault lets the App have: by the fields' own names, and by those its binding maps them to. */
interface Resolved {
  type: string;
  fields: Record<string, Value>;
  credentials: Record<string, Value>;
}

/** The `credentials` object of adapter calls (spec 2.4): the App's record, its fields under their `maps_to` names. */
@Injectable()
export class AppCredentials {
  private readonly cache = new Map<string, { value: Promise<Resolved>; untilMs: number }>();

  constructor(@Inject(vaultClient) private readonly vault: ServiceClient) {}

  /** @throws Problem of the vault; `credential_not_found` when the App's record is gone */
  async of({ app, adapter }: InstalledApp): Promise<Credentials> {
    if (!app.credential_id) return {};
    const key = `${app.id} ${app.credential_id}`;
    let known = this.cache.get(key);
    if (!known || known.untilMs < Date.now()) {
      if (this.cache.size >= maxCached) this.cache.clear();
      const value = this.resolve(app, app.credential_id);
      known = { value, untilMs: Date.now() + freshMs };
      this.cache.set(key, known);
      value.catch(() => this.cache.delete(key));
    }
    const resolved = await known.value;
    return adapter ? mapFields(resolved, adapter.manifest) : pairFields(resolved);
  }

  /** Binds the App to its record the first time, so that the vault knows what uses it. */
  private async resolve(app: InstalledApp['app'], credentialId: string): Promise<Resolved> {
    const tenant = { organizationId: app.organization_id, projectId: app.project_id };
    const asked = { credential_id: credentialId, consumer: { kind: 'app', id: app.id } };
    const ask = (): Promise<Resolved> => this.vault.post<Resolved>('/internal/credentials/resolve', tenant, asked);
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_bound') throw error;
      await this.vault.put('/internal/bindings', tenant, asked);
      return ask();
    }
  }
}

/** The built-in App knows a rotation as `signing_secret` and `signing_secret_next`: so the vault's lists come to it. */
function pairFields({ credentials }: Resolved): Credentials {
  return Object.fromEntries(
    Object.entries(credentials).flatMap(([name, value]) =>
      [value].flat().map((one, at) => [at === 0 ? name : `${name}_next`, one] as const),
    ),
  );
}

function mapFields(resolved: Resolved, manifest: Manifest | null): Credentials {
  const credentials: Record<string, unknown> = { ...resolved.fields, ...resolved.credentials };
  for (const { key, maps_to: mapsTo } of manifest?.credentials ?? []) {
    if (resolved.credentials[mapsTo] !== undefined) continue;
    const value = resolved.fields[key] ?? resolved.fields[key.toLowerCase()] ?? resolved.fields[mapsTo];
    if (value !== undefined) credentials[mapsTo] = value;
    else if (resolved.type === 'api_key') credentials[mapsTo] = resolved.fields['token'];
  }
  return credentials;
}
