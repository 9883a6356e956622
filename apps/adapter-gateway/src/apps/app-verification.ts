import type { VerifyResult } from '#libs/adapter-sdk';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { withoutOk } from '../adapters/adapter-answer.js';
import { AdapterClient } from '../adapters/adapter-client.js';
import type { AppCredentialView } from './app-credential.dto.js';
import { AppCredentials } from './app-credentials.js';
import { AppViews } from './app-views.js';
import { AppsService } from './apps.service.js';
import { InstalledApps } from './installed-apps.js';

/** What Verify answers without asking the adapter: it could only say no. */
interface MissingCredentials {
  ok: false;
  error: 'missing_credentials';
  message: string;
  missing: string[];
}

/** The Verify action of an App: asks the adapter whether the credentials are accepted. */
@Injectable()
export class AppVerification {
  constructor(
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(AppViews) private readonly views: AppViews,
    @Inject(AdapterClient) private readonly adapters: AdapterClient,
  ) {}

  async verify(caller: Principal, id: string): Promise<VerifyResult | MissingCredentials> {
    const app = await this.apps.get(caller, id);
    // The row just read, not the one that this replica may remember for a moment longer.
    const installed = { ...(await this.installed.get(app.id)), app };
    const { credentials: declared, missing } = await this.views.of(app);
    if (missing.length > 0) return missingCredentials(declared, missing);
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

function missingCredentials(declared: AppCredentialView[], missing: string[]): MissingCredentials {
  const said = declared.filter(({ key }) => missing.includes(key)).map(whatIsMissing);
  return { ok: false, error: 'missing_credentials', message: said.join('. '), missing };
}

function whatIsMissing({
  key,
  label,
  type,
  credential_id: id,
  status,
  missing_fields: fields = [],
}: AppCredentialView): string {
  if (id === null) return `${label} (${key}) is missing: link a credential of type ${type}`;
  if (status === 'gone') return `${label} (${key}): the credential ${id} was deleted, link another one`;
  if (type === 'oauth2') return `${label} (${key}): the credential ${id} is ${status}, connect it`;
  return `${label} (${key}): the credential ${id} has no field ${fields.join(', ')}`;
}
