import { type MissedRequest, type MissedSinceResult, missedProblem } from '#libs/adapter-sdk';
import { scopeOf } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { errorCode } from '#libs/queue';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { type Policy, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AdapterClient } from '../path/adapters/adapter-client.js';
import { InstalledRepository } from '../path/adapters/installed.repository.js';
import { AppViews } from '../manage/apps/app-views.js';
import { CallTargets } from '../manage/apps/call-targets.js';
import { credentialWaitCodes, CredentialWaits } from '../path/apps/credential-waits.js';
import { refusedTokenCode } from '../path/apps/app-credentials.js';
import { type GatewaySettings, INGRESS, SETTINGS } from '../env.js';
import type { MissedAsk } from './missed-ask.entity.js';
import { MissedAskRepository, type Window } from './missed-ask.repository.js';

const dayMs = 86_400_000;
const detailChars = 500;
const policy: Policy = {
  tries: 20,
  backoff: { baseMs: 5_000, capMs: 900_000 },
  jitter: 0.5,
  ageMs: dayMs,
  failuresAge: true,
};
/** What only a person can change. */
const restCodes = ['not_configured', 'permission_denied', 'not_found', 'unsupported', 'invalid_request', 'auth_failed'];

/** The provider said no. */
class MissedRefused extends Error {
  constructor(
    readonly code: string,
    detail: string,
    readonly retryAfterMs: number | null,
  ) {
    super(detail);
  }

  get permanent(): boolean {
    return restCodes.includes(this.code);
  }
}

/**
 * Asks providers, through their stateless adapters, for what they could not deliver while the door was closed. They send
 * it again, or it is fetched and stored by the ingress under the id of its delivery, so nothing is stored twice.
 */
@Injectable()
export class MissedService extends Sweeping {
  private readonly logger = new Logger('missed');

  constructor(
    private readonly asks: MissedAskRepository,
    private readonly installed: InstalledRepository,
    private readonly views: AppViews,
    private readonly targets: CallTargets,
    private readonly adapters: AdapterClient,
    @Inject(INGRESS) private readonly ingress: Pick<ServiceClient, 'post'>,
    waits: CredentialWaits,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    waits.onRelease((appIds) => this.asks.release(appIds, credentialWaitCodes));
    const sweep = (limit: number): Promise<number> => this.askDue(limit);
    this.sweepEvery({ name: 'missed', everyMs: settings.MISSED_SWEEP_MS, batch: 10, sweep });
  }

  /** @returns the Apps whose provider is asked */
  note(window: Window, afterMs = this.settings.MISSED_ASK_AFTER_MS): Promise<string[]> {
    return this.asks.note(window, afterMs, this.settings.MISSED_MAX_AGE_MS);
  }

  private async askDue(limit: number): Promise<number> {
    const due = await this.asks.work.claimDue(limit);
    await Promise.all(due.map((row) => this.run(row)));
    return due.length;
  }

  private async run(row: MissedAsk): Promise<void> {
    const { app_id: key, claim } = row;
    let verdict: Verdict = { do: 'done' };
    let detail: string | null = null;
    try {
      await this.asks.work.run({ key, claim }, (lost) => this.ask(row, lost));
    } catch (error) {
      verdict = verdictOf(error);
      detail = (error instanceof Error ? error.message : String(error)).slice(0, detailChars);
      this.logger.warn({ event: 'missed.not_asked', app_id: key, code: errorCode(error), detail, verdict: verdict.do });
    }
    await this.asks.settle(settlementOf(key, row, verdict, policy), detail);
  }

  private async ask(row: MissedAsk, lost: AbortSignal): Promise<void> {
    let { cursor } = row;
    for (let page = row.pages; ; page += 1) {
      if (page >= this.settings.MISSED_MAX_PAGES) {
        throw new MissedRefused(
          'unsupported',
          'There is more than MISSED_MAX_PAGES pages of it: ask for a shorter time.',
          null,
        );
      }
      const answer = await this.page(row, cursor);
      const { redeliveries = 0, requests = [] } = answer;
      let stored = 0;
      for (const request of requests) {
        lost.throwIfAborted();
        stored += await this.store(row, request);
      }
      cursor = answer.has_more === true ? (answer.cursor ?? null) : null;
      if (!(await this.asks.advance(row, cursor, redeliveries, stored))) return;
      const counts = { redeliveries, stored };
      this.logger.log({ event: 'missed.asked', app_id: row.app_id, since: row.since, until: row.until, ...counts });
      if (cursor === null) return;
    }
  }

  private async page(row: MissedAsk, cursor: string | null): Promise<MissedSinceResult & { ok: true }> {
    const app = await this.installed.app(row.app_id);
    const answer = await this.targets.workWithApp(
      row.app_id,
      ({ baseUrl, manifest, credentials, context }) => {
        const url = app && this.views.webhookUrl(app, manifest);
        if (url === null) {
          const detail = 'The webhook token was sealed with a key that is not in GATEHOUSE_WEBHOOK_KEY: put it back.';
          throw new MissedRefused('not_configured', detail, null);
        }
        const window = { since: row.since.toISOString(), until: row.until.toISOString() };
        const body = { credentials, webhook_url: url, ...window, cursor };
        const wrong = (result: object): string | null => missedProblem({ ...result }) ?? null;
        return this.adapters.post<MissedSinceResult>(baseUrl, '/missed-since', body, context, wrong);
      },
      (result) => !result.ok && result.error === refusedTokenCode,
    );
    if (answer.ok) return answer;
    const { error, message, retry_after: seconds } = answer;
    throw new MissedRefused(error.slice(0, 100), message ?? error, seconds === undefined ? null : seconds * 1_000);
  }

  /** @returns 1, or 0 where it was there already, or can never be stored */
  private async store(row: MissedAsk, request: MissedRequest): Promise<number> {
    const scope = scopeOf(row);
    try {
      const path = `/internal/apps/${row.app_id}/fetched-requests`;
      const body = { as: 'missed', ...request };
      const { duplicate } = await this.ingress.post<{ duplicate: boolean }>(path, scope, body);
      return duplicate ? 0 : 1;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 413) throw error;
      this.logger.error({ event: 'missed.too_large', app_id: row.app_id, id: request.id, error: error.detail });
      return 0;
    }
  }
}
