import type { VerifyResult } from '#libs/adapter-sdk';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { withoutOk } from '../adapters/adapter-answer.js';
import { AdapterClient } from '../adapters/adapter-client.js';
import { AppCredentials } from './app-credentials.js';
import { AppsService } from './apps.service.js';
import { InstalledApps } from './installed-apps.js';

/** The Verify action of an App: asks the adapter whether the credentials are accepted. */
@Injectable()
export class AppVerification {
  constructor(
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(AdapterClient) private readonly adapters: AdapterClient,
  ) {}

  async verify(caller: Principal, id: string): Promise<VerifyResult> {
    const app = await this.apps.get(caller, id);
    const installed = await this.installed.get(app.id);
    const credentials = await this.credentials.of(installed);
    if (!installed.adapter) return { ok: true, user: app.name };
    const result = await this.adapters.post<VerifyResult>(
      installed.adapter.baseUrl,
      '/verify',
      { credentials },
      caller,
      withoutOk,
    );
    if (result.ok) await this.apps.rememberSelf(app, { ...result.account, name: result.user });
    return result;
  }
}
