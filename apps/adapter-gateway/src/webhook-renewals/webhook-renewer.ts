import type { RenewWebhookResult } from '#libs/adapter-sdk';
import { Sweeping } from '#libs/database';
import { errorCode, RunLater } from '#libs/queue';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AdapterClient } from '../path/adapters/adapter-client.js';
import { wrongRenewal } from '../path/adapters/answer-fields.js';
import type { AppRow } from '../entities/app.entity.js';
import { InstalledRepository } from '../path/adapters/installed.repository.js';
import { AppViews } from '../manage/apps/app-views.js';
import { type CallTarget, CallTargets } from '../manage/apps/call-targets.js';
import { credentialWaitCodes, CredentialWaits } from '../path/apps/credential-waits.js';
import { refusedTokenCode } from '../path/apps/app-credentials.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { type RenewalOutcome, WebhookRenewalRepository } from './webhook-renewal.repository.js';

const dayMs = 86_400_000;
const firstRetryMs = 1_000;

/**
 * Asks providers, through their stateless adapters, to go on sending events, as often as the manifest's
 * `webhook.renew_seconds` says. The row says when that is due, so that a replica that dies costs a lease, not the
 * events.
 */
@Injectable()
export class WebhookRenewer extends Sweeping {
  private readonly logger = new Logger('webhook-renewer');

  constructor(
    private readonly renewals: WebhookRenewalRepository,
    private readonly installed: InstalledRepository,
    private readonly views: AppViews,
    private readonly targets: CallTargets,
    private readonly adapters: AdapterClient,
    waits: CredentialWaits,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    waits.onRelease((appIds) => this.renewals.release(appIds, [...credentialWaitCodes]));
    this.sweepEvery({
      name: 'webhook-renewals',
      everyMs: settings.RENEWAL_SWEEP_MS,
      batch: 50,
      sweep: (limit) => this.renewDue(limit),
    });
  }

  private async renewDue(limit: number): Promise<number> {
    const due = await this.renewals.claim(limit, this.settings.RENEWAL_RETRY_MS);
    await Promise.all(due.map((appId) => this.renew(appId)));
    return due.length;
  }

  private async renew(appId: string): Promise<void> {
    const app = await this.installed.app(appId);
    const outcome = await this.ask(app, appId).catch((error: unknown) => this.failure(app, error));
    if (outcome.error !== null) {
      const { error: code, error_detail: detail } = outcome;
      this.logger.warn({ event: 'webhook.not_renewed', app: appId, code, detail });
    }
    await this.renewals.record(appId, outcome);
  }

  private ask(app: AppRow | null, appId: string): Promise<RenewalOutcome> {
    return this.targets.workWithApp(
      appId,
      (target) => this.askOnce(app, target),
      ({ error }) => error === refusedTokenCode,
    );
  }

  private async askOnce(
    app: AppRow | null,
    { baseUrl, manifest, credentials, context }: CallTarget,
  ): Promise<RenewalOutcome> {
    const everyMs = Math.min(manifest.webhook?.renew_seconds ?? 86_400, 2_592_000) * 1_000;
    const url = app && this.views.webhookUrl(app, manifest);
    if (url === null) {
      const detail =
        'The webhook token was sealed with a key that is not in GATEHOUSE_WEBHOOK_KEY: put the key back, or rotate the token.';
      return { error: 'webhook_url_unknown', error_detail: detail, nextInMs: this.settings.RENEWAL_RETRY_MS };
    }
    const body = { credentials, webhook_url: url };
    const answer = await this.adapters.post<RenewWebhookResult>(baseUrl, '/renew-webhook', body, context, wrongRenewal);
    if (answer.ok) {
      const expiresAt = dateOf(answer.expires_at);
      return { renewed: { expiresAt }, error: null, error_detail: null, nextInMs: nextInMs(everyMs, expiresAt) };
    }
    const refusal = {
      error: String(answer.error ?? 'refused').slice(0, 100),
      error_detail: answer.message?.slice(0, 500) ?? null,
    };
    // A retry changes nothing until a person changes the set-up.
    const rests = refusal.error === 'not_configured';
    return { ...refusal, nextInMs: rests ? everyMs : this.retryInMs(app) };
  }

  private failure(app: AppRow | null, error: unknown): RenewalOutcome {
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    const nextInMs = error instanceof RunLater ? error.delayMs : this.retryInMs(app);
    return { error: errorCode(error), error_detail: detail, nextInMs };
  }

  /** As long again as it has failed: an adapter that was only restarted costs a second, not the events until then. */
  private retryInMs(app: AppRow | null): number {
    const since = app?.renewal_failure?.since;
    const failedMs = since === undefined ? 0 : Date.now() - new Date(since).getTime();
    return Math.min(Math.max(failedMs, firstRetryMs), this.settings.RENEWAL_RETRY_MS);
  }
}

/** Halfway to the expiry that the provider names, if that is sooner. */
function nextInMs(everyMs: number, expiresAt: Date | null): number {
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : (expiresAt.getTime() - Date.now()) / 2;
  return Math.max(1_000, Math.min(everyMs, leftMs, 30 * dayMs));
}

function dateOf(text: string | undefined): Date | null {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}
