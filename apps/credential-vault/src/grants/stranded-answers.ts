import { Database, Sweeping } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { RefreshAttemptRepository, type StrandedAnswer } from './refresh-attempt.repository.js';
import { RevocationService } from './revocation.service.js';
import { TokenCustody } from './token-custody.js';

/** Longer than a process needs to finish with an answer, including all its waits. */
const restMs = 600_000;

/**
 * Revokes tokens whose process died after it stored their answer and before it dealt with it, if the grant has none in
 * use.
 */
@Injectable()
export class StrandedAnswers extends Sweeping {
  private readonly logger = new Logger('revocation');
  private readonly olderThanMs: number;

  constructor(
    private readonly db: Database,
    private readonly attempts: RefreshAttemptRepository,
    private readonly custody: TokenCustody,
    private readonly revocations: RevocationService,
    @Inject(SETTINGS) { REFRESH_SWEEP_MS: everyMs, TOKEN_TIMEOUT_MS }: VaultSettings,
  ) {
    super();
    this.olderThanMs = TOKEN_TIMEOUT_MS + restMs;
    this.sweepEvery({
      name: 'stranded-answers',
      everyMs,
      batch: 100,
      sweep: (limit) => this.sweep(limit),
    });
  }

  private async sweep(limit: number): Promise<number> {
    const answers = await this.attempts.stranded(this.olderThanMs, limit);
    for (const answer of answers) await this.letGo(answer);
    return answers.length;
  }

  private async letGo(answer: StrandedAnswer): Promise<void> {
    try {
      const client = await this.custody.clientOf(answer, answer.credentialId);
      const ids = await this.db.transaction((manager) => this.custody.takeStranded(manager, answer, client));
      for (const id of ids) await this.revocations.enqueue(id);
    } catch (error) {
      // The credential was deleted meanwhile, with everything that it held.
      if (!(error instanceof Problem)) throw error;
      this.logger.log({ event: 'revocation.deleted_meanwhile', credential_id: answer.credentialId });
    }
  }
}
