import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '../oauth/token-endpoint.js';
import type { RawAnswer } from '../oauth/token-answer.js';
import { TokenTransport } from '../oauth/token-transport.js';
import { GrantSealer } from './grant-sealer.js';
import { GRANT_SETTINGS, type GrantSettings } from './grant-settings.js';
import type { OauthGrant } from './grant.entity.js';
import type { RefreshAttempt } from './refresh-attempt.entity.js';
import { RefreshAttemptRepository } from './refresh-attempt.repository.js';

const keepTryingMs = 600_000;
const retryMs = 250;

/** Keeps every answer of a token endpoint, sealed, before it is read: what it holds may exist nowhere else any more. */
@Injectable()
export class AnswerJournal {
  private readonly logger = new Logger('refresh');

  constructor(
    @Inject(RefreshAttemptRepository) private readonly attempts: RefreshAttemptRepository,
    @Inject(GrantSealer) private readonly sealer: GrantSealer,
    @Inject(TokenTransport) private readonly transport: TokenTransport,
    @Inject(GRANT_SETTINGS) private readonly settings: GrantSettings,
  ) {}

  /** A transport that sends, and keeps the answer before it hands it on. */
  keeping(owner: Pick<OauthGrant, 'organization_id' | 'credential_id'>, attemptId: string): Transport {
    return async (url, form, headers) => {
      const answer = await this.transport.post(url, form, headers, this.settings.TOKEN_TIMEOUT_MS);
      const sealed = await this.sealer.sealAnswer(owner, attemptId, answer);
      await this.keep(attemptId, () => this.attempts.keepAnswer(attemptId, answer.status, sealed));
      return answer;
    };
  }

  /** @throws DoesNotOpen; Error when nothing was kept */
  async read(
    owner: Pick<OauthGrant, 'organization_id' | 'credential_id'>,
    attempt: RefreshAttempt,
  ): Promise<RawAnswer> {
    const { id, kid, wrapped_dek: wrappedDek, response_ct: value } = attempt;
    if (!kid || !wrappedDek || !value) throw new Error(`attempt ${id} has no answer`);
    return this.sealer.openAnswer(owner, id, { kid, wrappedDek, value });
  }

  /** While Postgres is away the answer is in this process alone, so it keeps trying as long as anyone would wait for it. */
  private async keep(attemptId: string, write: () => Promise<void>): Promise<void> {
    const deadline = Date.now() + keepTryingMs;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (Date.now() > deadline) throw error;
        this.logger.error({ event: 'refresh.answer_not_kept', attempt: attemptId, error: String(error) });
        await sleep(retryMs);
      }
    }
  }
}
