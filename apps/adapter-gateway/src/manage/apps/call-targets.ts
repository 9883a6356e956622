import type { Credentials, Manifest } from '#libs/adapter-sdk';
import {
  type CredentialType,
  mapCredentials,
  type OpenedCredential,
  type ProjectScope,
  scopeOf,
  type SecretValue,
} from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { notFound, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AdapterReadiness } from '../../path/adapters/adapter-readiness.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { AppCredentials, RefusedCalls } from '../../path/apps/app-credentials.js';
import { AppRepository } from './app.repository.js';
import { fillable } from './credential-fit.js';
import {
  type InstalledAdapter,
  installedAdapter,
  type InstalledApp,
  InstalledApps,
} from '../../path/apps/installed-apps.js';

/** Everything that a call of an adapter needs, except its content. */
export interface CallTarget {
  baseUrl: string;
  manifest: Manifest;
  credentials: Credentials;
  context: ProjectScope;
}

/** One record of credentials that a caller passes with a call. */
export interface GivenRecord {
  /** Keyed by the record's own field names if `type` is set, else by `maps_to` names. */
  credentials: Credentials;
  type?: CredentialType | undefined;
  credentialId?: string | undefined;
}

/**
 * Resolves where a call goes: to an App's adapter with the App's credentials, or to a registered adapter with given
 * ones.
 */
@Injectable()
export class CallTargets {
  constructor(
    private readonly installed: InstalledApps,
    private readonly credentials: AppCredentials,
    private readonly apps: AppRepository,
    private readonly adapters: AdapterRepository,
    private readonly readiness: AdapterReadiness,
    private readonly refused: RefusedCalls,
  ) {}

  /**
   * Makes a call of an App's adapter that may be repeated: once more if its access token was refused and is replaced.
   * @throws PermanentFailure `app_not_found | app_retired | no_adapter`; AdapterNotReady; Problem of the vault
   */
  withApp<T>(appId: string, call: (target: CallTarget) => Promise<T>): Promise<T> {
    return this.reaching(appId, (installed) => this.credentials.of(installed), call);
  }

  /** Like `withApp`, for work that waits until a credential is connected. @throws CredentialNotReady also */
  workWithApp<T>(
    appId: string,
    call: (target: CallTarget) => Promise<T>,
    isRefusal?: (answer: T) => boolean,
  ): Promise<T> {
    return this.reaching(appId, (installed) => this.credentials.forWork(installed), call, isRefusal);
  }

  /** The adapter of a project, or of the organization if no project is given. @throws Problem 404; AdapterNotReady */
  async ofAdapter(scope: ProjectScope, slug: string, given: GivenRecord): Promise<CallTarget> {
    const row = scope.projectId
      ? await this.adapters.findBySlug(scope, slug)
      : await this.adapters.findInOrganization(scope.organizationId, slug);
    if (!row) throw notFound('adapter', slug);
    if (row.base_url === null) throw new Problem(422, 'skill_only', `${slug} is a skill without an adapter.`);
    const adapter = installedAdapter(row);
    const reached = await this.reached(adapter, scope);
    return { ...reached, credentials: await this.withRecord(scope, adapter, given), context: scope };
  }

  private async reaching<T>(
    appId: string,
    open: (installed: InstalledApp) => Promise<Credentials>,
    call: (target: CallTarget) => Promise<T>,
    isRefusal?: (answer: T) => boolean,
  ): Promise<T> {
    const installed = await this.installed.get(appId);
    const { app, adapter } = installed;
    if (!adapter) throw new PermanentFailure('no_adapter', 'the built-in Webhook app has no adapter to call');
    if (app.state === 'retired') throw new PermanentFailure('app_retired', `the App ${app.id} is retired`);
    const scope = scopeOf(app);
    const reached = await this.reached(adapter, scope);
    return this.refused.retried(
      installed,
      () => open(installed),
      (credentials) => call({ ...reached, credentials, context: scope }),
      isRefusal,
    );
  }

  /** Credentials as the project's App gets them: by the manifest's names, with its other records if it has this one. */
  private async withRecord(
    scope: ProjectScope,
    adapter: InstalledAdapter,
    { credentials, type, credentialId }: GivenRecord,
  ): Promise<Credentials> {
    if (type === undefined) return credentials;
    const record: OpenedCredential = { type, fields: secretValues(credentials) };
    const app = credentialId && scope.projectId ? await this.apps.ofProvider(scope, adapter.manifest.slug) : null;
    if (app && credentialId && Object.values(app.credentials).includes(credentialId)) {
      return this.credentials.ofConnected({ app, adapter }, { id: credentialId, record });
    }
    const filled = fillable(adapter.manifest.credentials, { type, fields: Object.keys(record.fields) });
    const links = filled.map(({ key, type: of, maps_to }) => ({ key, type: of, maps_to, credential_id: '' }));
    return { ...record.fields, ...mapCredentials(links, new Map([['', record]])) };
  }

  /** Before the vault opens anything for it. */
  private async reached(
    { baseUrl, manifest }: InstalledAdapter,
    scope: ProjectScope,
  ): Promise<Pick<CallTarget, 'baseUrl' | 'manifest'>> {
    await this.readiness.require(baseUrl, scope);
    return { baseUrl, manifest };
  }
}

/** Only texts and lists of texts are secrets of a record. */
function secretValues(credentials: Credentials): Record<string, SecretValue> {
  const isSecret = (value: unknown): value is SecretValue =>
    typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  return Object.fromEntries(
    Object.entries(credentials).flatMap(([name, value]) => (isSecret(value) ? [[name, value] as const] : [])),
  );
}
