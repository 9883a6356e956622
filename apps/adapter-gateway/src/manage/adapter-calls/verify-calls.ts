import { type JsonObject, redactSecrets } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { AdapterError, refusesPlatform } from '../../path/adapters/adapter-answer.js';
import type { CallTarget } from '../apps/call-targets.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { withRetries } from './with-retries.js';
import {
  isRefusalByStatus,
  verifyFailure,
  type VerifyOutcome,
  verifyOutcome,
  wrongVerifyAnswer,
} from './verify-outcome.js';

type VerifyTarget = Pick<CallTarget, 'baseUrl' | 'credentials' | 'context'>;

/** Asks adapters whether credentials are accepted; a call that fails is an outcome too, never an error of ours. */
@Injectable()
export class VerifyCalls {
  constructor(
    private readonly adapters: AdapterClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * @param reach finds the adapter and the credentials, and asks it; called again for every attempt
   * @param isOurs whether a problem is thrown to the caller instead of becoming an outcome
   * @throws Problem those of `reach` that `isOurs` names
   */
  async ask(
    reach: (ask: (target: VerifyTarget) => Promise<VerifyOutcome>) => Promise<VerifyOutcome>,
    isOurs: (problem: Problem) => boolean,
  ): Promise<VerifyOutcome> {
    const { ADAPTER_CALL_ATTEMPTS: attempts, ADAPTER_TIMEOUT_MS: budgetMs } = this.settings;
    try {
      return await withRetries(() => reach((target) => this.once(target)), { attempts, budgetMs });
    } catch (error) {
      if (!(error instanceof Problem) || isOurs(error)) throw error;
      return verifyFailure(error);
    }
  }

  private async once({ baseUrl, credentials, context }: VerifyTarget): Promise<VerifyOutcome> {
    const body = { credentials };
    try {
      const answer = await this.adapters.post<JsonObject>(baseUrl, '/verify', body, context, wrongVerifyAnswer);
      return verifyOutcome(answer, credentials);
    } catch (error) {
      if (!(error instanceof AdapterError) || error.answer === null) throw error;
      const { answer } = error;
      if (answer.body && isRefusalByStatus(answer.body, error.refusal !== null)) {
        return verifyOutcome(answer.body, credentials);
      }
      // The platform's own message names the cause already.
      const words = refusesPlatform(answer) ? null : answer.words;
      throw words === null ? error : error.saying(redactSecrets(words, credentials).replaceAll('\0', ''));
    }
  }
}
