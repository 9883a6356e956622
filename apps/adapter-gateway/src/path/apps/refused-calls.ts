import type { Credentials } from '#libs/adapter-sdk';
import { errorCode } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AdapterError, refusesPlatform } from '../adapters/adapter-answer.js';
import type { InstalledApp } from './installed-apps.js';
import { AppCredentials } from './app-credentials.js';

/** The provider, or the adapter for it, refuses the credentials of a call. */
export const refusedTokenCode = 'auth_failed';

/**
 * Calls that may be repeated. A provider may refuse an access token before it expires: it was revoked, or the account's
 * password has changed. The token is then replaced, once, and the call is made once more. Deliveries have their rows for
 * that.
 */
@Injectable()
export class RefusedCalls {
  constructor(private readonly credentials: AppCredentials) {}

  /**
   * @param open reads the credentials; a second time after a refusal, when it may say that they have to be connected
   * @throws what `open` and `call` throw; Problem 503 of the vault while it cannot replace the token
   */
  async retried<T>(
    installed: InstalledApp,
    open: () => Promise<Credentials>,
    call: (credentials: Credentials) => Promise<T>,
    isRefusal: (answer: T) => boolean = answersRefusal,
  ): Promise<T> {
    const used = await open();
    const made = await call(used).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    const refused = 'error' in made ? refusesToken(made.error) : isRefusal(made.answer);
    if (refused && (await this.replaced(installed, used))) return call(await open());
    if ('error' in made) throw made.error;
    return made.answer;
  }

  /**
   * @returns whether reading the credentials again gives others, or says why they cannot be used any more
   * @throws Problem 503 of the vault
   */
  async replaced(installed: InstalledApp, used: Credentials): Promise<boolean> {
    try {
      return await this.credentials.replaceRefused(installed, used);
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return true;
      throw error;
    }
  }
}

/** Whether a call failed because its credentials were refused, by status or by code. */
export function refusesToken(error: unknown): boolean {
  if (!(error instanceof AdapterError)) return errorCode(error) === refusedTokenCode;
  const { answer } = error;
  if (answer === null || refusesPlatform(answer)) return false;
  return answer.status === 401 || (error.refusal !== null && answer.body?.['error'] === refusedTokenCode);
}

/** Whether an answer `ok: false` says that. */
function answersRefusal(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('ok' in answer) || answer.ok !== false) return false;
  return ['error' in answer ? answer.error : undefined, 'code' in answer ? answer.code : undefined].includes(
    refusedTokenCode,
  );
}
