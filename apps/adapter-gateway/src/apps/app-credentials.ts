import type { Credentials } from '#libs/adapter-sdk';
import type { Principal, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { InstalledApp } from './installed-apps.js';
import { mapCredentials, type OpenedCredential } from './mapped-credentials.js';

export const vaultClient = Symbol('vaultClient');

const freshMs = 2_000;
const maxCached = 5_000;

/** The `credentials` object of adapter calls (spec 2.4): the App's record, its fields under their `maps_to` names. */
@Injectable()
export class AppCredentials {
  private readonly cache = new Map<string, { value: Promise<OpenedCredential>; untilMs: number }>();

  constructor(@Inject(vaultClient) private readonly vault: ServiceClient) {}

  /** @throws Problem of the vault; `credential_not_found` when the App's record is gone */
  async of({ app, adapter }: InstalledApp): Promise<Credentials> {
    if (!app.credential_id) return {};
    const scope = { organizationId: app.organization_id, projectId: app.project_id };
    return mapCredentials(await this.open(scope, app.credential_id), adapter?.manifest ?? null);
  }

  /** @throws Problem as `of` */
  open(scope: Pick<Principal, 'organizationId' | 'projectId'>, credentialId: string): Promise<OpenedCredential> {
    const key = `${scope.projectId} ${credentialId}`;
    const known = this.cache.get(key);
    if (known && known.untilMs >= Date.now()) return known.value;
    if (this.cache.size >= maxCached) this.cache.clear();
    const value = this.vault.post<OpenedCredential>('/internal/credentials/resolve', scope, {
      credential_id: credentialId,
    });
    this.cache.set(key, { value, untilMs: Date.now() + freshMs });
    value.catch(() => this.cache.delete(key));
    return value;
  }
}
