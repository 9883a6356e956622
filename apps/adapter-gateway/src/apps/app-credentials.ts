import type { Credentials } from '#libs/adapter-sdk';
import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AppRow } from './app.entity.js';
import type { InstalledApp } from './installed-apps.js';
import { mapCredentials, type OpenedCredential, pairFields } from './mapped-credentials.js';

export const vaultClient = Symbol('vaultClient');

type Scope = Pick<Principal, 'organizationId' | 'projectId'>;

const freshMs = 2_000;
const maxCached = 5_000;
/** Longer than any call, so that a token does not end while an adapter uses it. */
const tokenMarginSeconds = 30;
const resolvePath = '/internal/credentials/resolve';

/** The `credentials` object of adapter calls (spec 2.4): the App's record, its fields under their `maps_to` names. */
@Injectable()
export class AppCredentials {
  private readonly logger = new Logger('app-credentials');
  private readonly cache = new Map<string, { value: Promise<OpenedCredential>; untilMs: number }>();
  private readonly minValidSeconds: number;

  constructor(
    @Inject(vaultClient) private readonly vault: ServiceClient,
    @Inject(gatewaySettings) settings: GatewaySettings,
  ) {
    const { ADAPTER_TIMEOUT_MS, DELIVERY_TIMEOUT_MS, SOURCE_FETCH_TIMEOUT_MS } = settings;
    const longestMs = Math.max(ADAPTER_TIMEOUT_MS, DELIVERY_TIMEOUT_MS, SOURCE_FETCH_TIMEOUT_MS);
    this.minValidSeconds = Math.ceil((longestMs + freshMs) / 1_000) + tokenMarginSeconds;
  }

  /** @throws Problem of the vault; `credential_not_found` when the App's record is gone */
  async of({ app, adapter }: InstalledApp): Promise<Credentials> {
    const { credential_id: credentialId } = app;
    if (!credentialId) return {};
    const opened = await this.cached(`${app.id} ${credentialId}`, () => this.resolveBound(app, credentialId));
    return adapter ? mapCredentials(opened, adapter.manifest) : pairFields(opened);
  }

  /** A credential that no App has yet. @throws Problem as `of` */
  private open(scope: Scope, credentialId: string): Promise<OpenedCredential> {
    return this.cached(`${scope.projectId} ${credentialId}`, () =>
      this.resolve(scope, { credential_id: credentialId }),
    );
  }

  /**
   * A credential that a request names.
   * @returns null when it is there and not connected yet: the consent may be given later
   * @throws Problem 422 `credential_not_found`; others of the vault's
   */
  async named(scope: Scope, credentialId: string): Promise<OpenedCredential | null> {
    try {
      return await this.open(scope, credentialId);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (['not_connected', 'needs_reconnect'].includes(error.code)) return null;
      if (error.status !== 404) throw error;
      const message = `There is no credential ${credentialId} in this project.`;
      throw new Problem(422, 'credential_not_found', message, [{ field: 'credential_id', message }]);
    }
  }

  /** Lets go of an App's record, so that it can be deleted; with the vault away its deletion needs force. */
  async release(app: AppRow): Promise<void> {
    try {
      await this.vault.delete(`/internal/bindings/app/${app.id}`, scopeOf(app));
    } catch (error) {
      this.logger.warn({ event: 'binding.kept', app: app.id, error: String(error) });
    }
  }

  private resolve(scope: Scope, asked: object): Promise<OpenedCredential> {
    return this.vault.post(resolvePath, scope, { ...asked, min_valid_seconds: this.minValidSeconds });
  }

  /** Binds the App to its record the first time, so that the vault knows what uses it. */
  private async resolveBound(app: AppRow, credentialId: string): Promise<OpenedCredential> {
    const asked = { credential_id: credentialId, consumer: { kind: 'app', id: app.id } };
    try {
      return await this.resolve(scopeOf(app), asked);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_bound') throw error;
      await this.vault.put('/internal/bindings', scopeOf(app), asked);
      return this.resolve(scopeOf(app), asked);
    }
  }

  private cached(key: string, read: () => Promise<OpenedCredential>): Promise<OpenedCredential> {
    const known = this.cache.get(key);
    if (known && known.untilMs >= Date.now()) return known.value;
    if (this.cache.size >= maxCached) this.cache.clear();
    const value = read();
    this.cache.set(key, { value, untilMs: Date.now() + freshMs });
    value.catch(() => this.cache.delete(key));
    return value;
  }
}

function scopeOf(app: AppRow): Scope {
  return { organizationId: app.organization_id, projectId: app.project_id };
}
