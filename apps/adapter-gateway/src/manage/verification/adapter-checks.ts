import { type Credentials, type FormatResult, redactSecrets } from '#libs/adapter-sdk';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { withRetries } from '../adapter-calls/with-retries.js';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { capabilitiesOf, type InstalledApp } from '../../path/apps/installed-apps.js';
import type { AdapterRow } from '../../entities/app.entity.js';
import { wrongFormat } from '../../path/adapters/answer-fields.js';
import { HealthPoller } from '../adapters/health-poller.js';
import { AppCredentials } from '../../path/apps/app-credentials.js';
import { notApplicable, skipped, type Verdict } from './check.js';

const formatted = 'Hello from **Gatehouse**';

/** The checks of an App's adapter, besides whether it accepts the credentials. */
@Injectable()
export class AdapterChecks {
  constructor(
    private readonly poller: HealthPoller,
    private readonly adapters: AdapterClient,
    private readonly credentials: AppCredentials,
  ) {}

  /** @param row null for the built-in Webhook app */
  async ready(row: AdapterRow | null): Promise<Verdict> {
    if (row === null) return notApplicable('The built-in Webhook app needs no adapter.');
    if (row.disabled) {
      const sentence = 'The adapter is disabled: it is not called, and its messages and deliveries wait.';
      return { status: 'failed', sentence, what_to_do: 'Enable it in the Developer Portal.' };
    }
    const beganMs = performance.now();
    const health = await this.poller.poll(row);
    if (health === null) return notApplicable('The App has no adapter to call.');
    const took_ms = Math.round(performance.now() - beganMs);
    if (health.state === 'ready') {
      return { status: 'ok', took_ms, sentence: `${row.slug} is ready (version ${health.version}).` };
    }
    return {
      status: 'failed',
      took_ms,
      sentence: `${row.slug} is not ready: ${health.state_reason}.`,
      what_to_do: `Start the adapter at ${row.base_url}, or register the address at which it runs.`,
      details: `GET ${row.base_url}/health\n\n→\n\n${health.state_reason}`,
    };
  }

  /**
   * The contract has no delivery without an effect, so a message is only formatted, as at the start of every delivery.
   */
  async prepares(caller: Principal, installed: InstalledApp, answers: Promise<boolean>): Promise<Verdict> {
    const { app, adapter } = installed;
    if (!capabilitiesOf(app, adapter?.manifest ?? null).includes('send'))
      return notApplicable('The App does not send.');
    if (!adapter) {
      return notApplicable('The App posts replies to its reply address. Without a message to answer nothing is sent.');
    }
    if (adapter.disabled) return skipped('The adapter is disabled.');
    if (!(await answers)) return skipped('The adapter does not answer.');
    const credentials = await this.readable(installed);
    if (credentials === null) return skipped('The credentials cannot be read.');
    const beganMs = performance.now();
    try {
      const body = { credentials, text: formatted, mode: 'rich' };
      const ask = (): Promise<FormatResult> =>
        this.adapters.post<FormatResult>(adapter.baseUrl, '/format', body, caller, wrongFormat);
      const { text } = await withRetries(ask, { attempts: 1, budgetMs: 0 });
      const took_ms = Math.round(performance.now() - beganMs);
      const shown = redactSecrets(text, credentials).slice(0, 80);
      const sentence = `The adapter formats a message as “${shown}”. Nothing is delivered: the contract has no test delivery.`;
      return { status: 'ok', took_ms, sentence };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const took_ms = Math.round(performance.now() - beganMs);
      const what_to_do = 'See the log of the adapter: every delivery starts with /format.';
      const details = `POST /format ${JSON.stringify({ text: formatted, mode: 'rich' })}\n\n→\n\n${error.code}: ${error.detail}`;
      return {
        status: 'failed',
        took_ms,
        sentence: `The adapter could not format a message: ${error.detail}.`,
        what_to_do,
        details,
      };
    }
  }

  /** Null when the vault does not give them: the check of the credentials says why. */
  private async readable(installed: InstalledApp): Promise<Credentials | null> {
    try {
      return await this.credentials.ofConnected(installed);
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}
