import type { Credentials } from '#libs/adapter-sdk';
import type { Endpoint } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InstalledRepository } from '../../path/adapters/installed.repository.js';
import { AppCredentials } from '../../path/apps/app-credentials.js';
import type { AppRow } from '../../entities/app.entity.js';
import { AppViews } from '../apps/app-views.js';
import { endpointOf } from '../apps/endpoint-projection.js';
import { installedAdapter, type InstalledApp } from '../../path/apps/installed-apps.js';

/** What it takes to send to an App as its provider does. */
export interface SampleEndpoint {
  installed: InstalledApp;
  /** What the ingress is shown about the App. */
  endpoint: Endpoint;
  /** Path of the webhook, below PUBLIC_URL. */
  path: string;
}

/** Finds where an App receives, and how its requests are checked. */
@Injectable()
export class SampleEndpoints {
  constructor(
    private readonly rows: InstalledRepository,
    private readonly credentials: AppCredentials,
    private readonly views: AppViews,
  ) {}

  /** @throws Problem 422 `does_not_receive`, `webhook_url_unknown`; 409 `app_retired` */
  async of(app: AppRow): Promise<SampleEndpoint> {
    if (app.state === 'retired')
      throw new Problem(409, 'app_retired', 'The App is retired: its webhook URL no longer works.');
    const adapter = app.adapter_id === null ? null : await this.rows.adapter(app.adapter_id);
    const path = this.views.webhookPath(app, adapter?.manifest ?? null);
    if (typeof path === 'object') {
      throw path.hidden === 'does_not_receive'
        ? new Problem(
            422,
            'does_not_receive',
            'The App receives nothing: it was installed without the capability `receive`.',
          )
        : new Problem(422, 'webhook_url_unknown', 'The webhook URL can no longer be decrypted: rotate its token.');
    }
    const installed = { app, adapter: adapter ? installedAdapter(adapter) : null };
    return { installed, endpoint: endpointOf(app, adapter), path };
  }

  /** The secrets that sign its requests; a record that is not connected is left out. @throws Problem of the vault */
  secretsOf({ installed }: SampleEndpoint): Promise<Credentials> {
    return this.credentials.ofConnected(installed);
  }
}
