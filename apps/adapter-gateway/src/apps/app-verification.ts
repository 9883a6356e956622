import type { Credentials } from '#libs/adapter-sdk';
import { type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { VerifyCalls } from '../adapter-calls/verify-calls.js';
import { verifyFailure, type VerifyOutcome } from '../adapter-calls/verify-outcome.js';
import { AppCredentials } from './app-credentials.js';
import { AppsService } from './apps.service.js';
import { type InstalledApp, InstalledApps } from './installed-apps.js';

/** The Verify action of an App: asks the adapter whether the credentials are accepted. */
@Injectable()
export class AppVerification {
  constructor(
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(VerifyCalls) private readonly calls: VerifyCalls,
  ) {}

  /**
   * Whatever stands between the App and its provider is the outcome: the vault, the adapter, its answer.
   * @throws Problem 404 `app_not_found`
   */
  async verify(caller: Principal, id: string): Promise<VerifyOutcome> {
    const app = await this.apps.get(caller, id);
    const installed = await this.installed.get(app.id);
    const { adapter } = installed;
    if (!adapter) return this.withoutAdapter(installed);
    const outcome = await this.calls.ask(
      async () => ({
        baseUrl: adapter.baseUrl,
        credentials: await this.read(installed),
        context: caller,
      }),
      () => false,
    );
    if (outcome.ok) await this.apps.rememberSelf(app, { ...outcome.account, name: outcome.user });
    return outcome;
  }

  /** The built-in App works when its credential can be read. */
  private async withoutAdapter(installed: InstalledApp): Promise<VerifyOutcome> {
    try {
      await this.read(installed);
      return { ok: true, user: installed.app.name };
    } catch (error) {
      if (error instanceof Problem) return verifyFailure(error);
      throw error;
    }
  }

  private async read(installed: InstalledApp): Promise<Credentials> {
    try {
      return await this.credentials.of(installed);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new Problem(error.status, error.code, `The App's credentials could not be read: ${error.detail}`);
    }
  }
}
