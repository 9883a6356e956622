import type { Credentials, DeliverFailure } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AppCredentials } from '../apps/app-credentials.js';
import { refusedTokenCode, refusesToken } from '../apps/refused-calls.js';
import { AnswerLost, type AttemptResult } from './lost-answers.js';
import type { InstalledApp } from '../apps/installed-apps.js';

/**
 * A provider may refuse an access token before it expires: it was revoked, or the account's password has changed. Such a
 * message was not sent, so it is sent again with another token; a token that is refused right after that is a failure.
 */
@Injectable()
export class RefusedTokens {
  constructor(private readonly credentials: AppCredentials) {}

  /**
   * @param used the credentials of the call
   * @param previous the error of the attempt before this one
   * @returns the result, or a failure to retry at once with the other token
   * @throws CredentialNotReady when a credential is not linked at all
   */
  async settle(
    installed: InstalledApp,
    used: Credentials,
    previous: string | null,
    result: AttemptResult,
  ): Promise<AttemptResult> {
    if ('unknown' in result || result.ok || result.error !== refusedTokenCode) return result;
    this.credentials.requireLinked(installed);
    if (previous === refusedTokenCode) return result;
    try {
      const replaced = await this.credentials.replaceRefused(installed, used);
      return replaced ? again(result, 'The access token was refused and is replaced: it is sent again.', 0) : result;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status < 500) return again(result, `The access token was refused. ${error.detail}`, 0);
      const pending = again(result, `The access token was refused. ${error.detail}`, null);
      // A code of its own: the next refusal asks for another token again.
      return { ...pending, error: 'provider_unavailable' };
    }
  }

  /** A look-up that was refused tells nothing: the next attempt looks again, with another token. */
  async settleLookup(installed: InstalledApp, used: Credentials, error: unknown): Promise<void> {
    if (!(error instanceof AnswerLost) || !refusesToken(error.cause)) return;
    try {
      await this.credentials.replaceRefused(installed, used);
    } catch (problem) {
      // The next attempt reads the credentials, and waits or asks again.
      if (!(problem instanceof Problem)) throw problem;
    }
  }
}

function again(result: DeliverFailure, why: string, afterSeconds: number | null): DeliverFailure {
  const { error_detail: detail } = result;
  const message = detail ? `${why} The provider said: ${detail.message}` : why;
  const pause = afterSeconds === null ? {} : { retry_after: afterSeconds };
  return { ...result, error_detail: { ...detail, message, retryable: true, ...pause } };
}
