import type { Credentials } from '#libs/adapter-sdk';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { VerifyCalls } from '../adapter-calls/verify-calls.js';
import { verifyFailure, type VerifyOutcome } from '../adapter-calls/verify-outcome.js';
import { disabledCode, notReadyCode } from '../../path/adapters/adapter-readiness.js';
import { busyCode, circuitOpenCode } from '../../path/adapters/call-limits.js';
import { type InstalledApp, InstalledApps } from '../../path/apps/installed-apps.js';
import type { AppCredentialView } from '../apps/app-credential.dto.js';
import { AppCredentials, RefusedCalls } from '../../path/apps/app-credentials.js';
import { AppViews } from '../apps/app-views.js';
import { AppService } from '../apps/app.service.js';
import { type Check, notApplicable, type Verdict } from './check.js';
import { Checklist } from './checklist.js';

/** Given without a call to the adapter, which could only refuse. */
interface MissingCredentials {
  ok: false;
  code: 'missing_credentials';
  /** What is missing, and what to do. */
  error: string;
  /** Keys of the declarations. */
  missing: string[];
}

/** Codes that mean that the adapter, or its provider, gave no answer. */
const silent = new Set(['provider_unavailable', 'timeout', circuitOpenCode, busyCode, notReadyCode, disabledCode]);

/** Whether the credentials are accepted, and the whole checklist. */
export type Verified = (VerifyOutcome | MissingCredentials) & { passed: boolean; checks: Check[] };

/**
 * The Verify action of an App: asks the adapter whether the credentials are accepted, and tries the App's own webhook.
 */
@Injectable()
export class AppVerification {
  constructor(
    private readonly apps: AppService,
    private readonly installed: InstalledApps,
    private readonly credentials: AppCredentials,
    private readonly refused: RefusedCalls,
    private readonly views: AppViews,
    private readonly calls: VerifyCalls,
    private readonly checklist: Checklist,
  ) {}

  /**
   * Failures between the App and its provider are outcomes: of the vault, of the adapter, of its answer.
   * @throws Problem 404 `app_not_found`
   */
  async verify(caller: Principal, id: string): Promise<Verified> {
    const app = await this.apps.get(caller, id);
    // Uses the row just read: the cache of this replica may be stale for a moment.
    const installed = { ...(await this.installed.get(app.id)), app };
    // First, so that one that is not ready gets no other call.
    const ready = await this.checklist.adapterReady(app);
    const beganMs = performance.now();
    const outcome = this.accepted(caller, installed);
    const verdict = outcome.then((result) =>
      credentialsVerdict(result, installed, Math.round(performance.now() - beganMs)),
    );
    const answers = outcome.then((result) => result.ok || !silent.has(result.code));
    const checks = await this.checklist.run(caller, installed, { ready, credentials: verdict, answers });
    return { ...(await outcome), passed: checks.every(({ status }) => status !== 'failed'), checks };
  }

  private async accepted(caller: Principal, installed: InstalledApp): Promise<VerifyOutcome | MissingCredentials> {
    const { app } = installed;
    const { credentials: declared, missing } = await this.views.of(app, caller);
    if (missing.length > 0) return missingCredentials(declared, missing);
    const { adapter } = installed;
    if (!adapter) return this.withoutAdapter(installed);
    const outcome = await this.calls.ask(
      (ask) =>
        this.refused.retried(
          installed,
          () => this.read(installed),
          (credentials) => ask({ baseUrl: adapter.baseUrl, credentials, context: caller }),
        ),
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

function credentialsVerdict(
  outcome: VerifyOutcome | MissingCredentials,
  { app, adapter }: InstalledApp,
  took_ms: number,
): Verdict {
  if (outcome.ok) {
    if (adapter)
      return { status: 'ok', took_ms, sentence: `The credentials are accepted and belong to ${outcome.user}.` };
    return Object.keys(app.credentials).length === 0
      ? notApplicable('The App needs no credentials.')
      : { status: 'ok', took_ms, sentence: 'The credential can be read.' };
  }
  const what_to_do =
    outcome.code === 'auth_failed'
      ? 'Connect the credential again, or store one that the provider accepts.'
      : undefined;
  return {
    status: 'failed',
    took_ms,
    sentence: `${outcome.error}.`,
    details: `${outcome.code}: ${outcome.error}`,
    ...(what_to_do === undefined ? {} : { what_to_do }),
  };
}

function missingCredentials(declared: AppCredentialView[], missing: string[]): MissingCredentials {
  const sentences = declared.filter(({ key }) => missing.includes(key)).map(whatIsMissing);
  return { ok: false, code: 'missing_credentials', error: sentences.join('. '), missing };
}

function whatIsMissing({
  key,
  label,
  type,
  credential_id: id,
  status,
  missing_fields: fields = [],
}: AppCredentialView): string {
  if (id === null) return `${label} (${key}) is missing. Link a credential of type ${type}`;
  if (status === 'gone') return `${label} (${key}): the credential ${id} was deleted. Link another one`;
  if (type === 'oauth2') return `${label} (${key}): the credential ${id} is ${status}. Connect it`;
  return `${label} (${key}): the credential ${id} has no field ${fields.join(', ')}`;
}
