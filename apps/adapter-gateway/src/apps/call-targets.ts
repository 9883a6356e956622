import type { Credentials, Manifest } from '#libs/adapter-sdk';
import { PermanentFailure } from '#libs/queue';
import { notFound, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterCallContext } from '../adapters/adapter-client.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { AdapterNotReady } from './adapter-not-ready.js';
import { AppCredentials } from './app-credentials.js';
import { type InstalledAdapter, installedAdapter, InstalledApps } from './installed-apps.js';

/** Everything that a call of an adapter needs, but for what it asks. */
export interface CallTarget {
  baseUrl: string;
  manifest: Manifest;
  credentials: Credentials;
  context: AdapterCallContext;
}

/** Where a call goes: to the adapter of an App, with its credential, or to a registered adapter with a given one. */
@Injectable()
export class CallTargets {
  constructor(
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {}

  /** @throws PermanentFailure `app_not_found | app_retired | no_adapter`; AdapterNotReady; Problem of the vault */
  async ofApp(appId: string): Promise<CallTarget> {
    const installed = await this.installed.get(appId);
    const { app, adapter } = installed;
    if (!adapter) throw new PermanentFailure('no_adapter', 'the built-in Webhook app has no adapter to call');
    if (app.state === 'retired') throw new PermanentFailure('app_retired', `the App ${app.id} is retired`);
    const scope = { organizationId: app.organization_id, projectId: app.project_id };
    return { ...this.reached(adapter), credentials: await this.credentials.of(installed), context: scope };
  }

  /** The adapter of a project, or, without one, of the organization. @throws Problem 404; AdapterNotReady */
  async ofAdapter(
    scope: { organizationId: string; projectId: string },
    slug: string,
    credentials: Credentials,
  ): Promise<CallTarget> {
    const row = scope.projectId
      ? await this.adapters.findBySlug(scope, slug)
      : await this.adapters.findInOrganization(scope.organizationId, slug);
    if (!row) throw notFound('adapter', slug);
    if (row.base_url === null) throw new Problem(422, 'skill_only', `${slug} is a skill without an adapter.`);
    return { ...this.reached(installedAdapter(row)), credentials, context: scope };
  }

  private reached(adapter: InstalledAdapter): Pick<CallTarget, 'baseUrl' | 'manifest'> {
    if (!adapter.ready) throw new AdapterNotReady(adapter, this.settings.HEALTH_POLL_MS);
    return { baseUrl: adapter.baseUrl, manifest: adapter.manifest };
  }
}
