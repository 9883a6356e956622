import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import type { IssuedTokens, Transport } from '../oauth-providers/token-endpoint.js';
import { normalise, type RawAnswer } from '../oauth-providers/token-answer.js';
import { TokenRefused } from '../oauth-providers/token-refused.js';
import { TokenTransport } from '../oauth-providers/token-transport.js';
import { Secret } from '../sealing/secret.js';
import { GrantSealer, type SealedValue } from './grant-sealer.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { OauthGrant } from './grant.entity.js';
import { keepTrying } from './keep-trying.js';
import type { RefreshAttempt } from './refresh-attempt.entity.js';
import { RefreshAttemptRepository } from './refresh-attempt.repository.js';

/** Stores every answer of a token endpoint, sealed, before it is read: its tokens may exist nowhere else any more. */
@Injectable()
export class AnswerJournal {
  private readonly logger = new Logger('refresh');

  constructor(
    private readonly attempts: RefreshAttemptRepository,
    private readonly sealer: GrantSealer,
    private readonly transport: TokenTransport,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /**
   * A transport that sends the request and stores the answer before it passes it on. If the answer could not be sealed,
   * nothing is sent.
   */
  keeping(owner: Pick<OauthGrant, 'organization_id' | 'credential_id'>, attemptId: string): Transport {
    return async (url, form, headers) => {
      const seal = await this.preparedSeal(owner, attemptId);
      const answer = await this.transport.post(url, form, headers, this.settings.TOKEN_TIMEOUT_MS);
      const sealed = seal(answer);
      await keepTrying(
        () => this.attempts.keepAnswer(attemptId, answer.status, sealed),
        (error) => this.logger.error({ event: 'refresh.answer_not_kept', attempt: attemptId, error: String(error) }),
      );
      return answer;
    };
  }

  /** @throws TokenRefused `unsent` when the key that would seal the answer is unavailable */
  private async preparedSeal(
    owner: Pick<OauthGrant, 'organization_id' | 'credential_id'>,
    attemptId: string,
  ): Promise<(answer: RawAnswer) => SealedValue> {
    try {
      return await this.sealer.prepareAnswer(owner, attemptId);
    } catch (error) {
      throw error instanceof Problem ? new TokenRefused('unsent', error.code) : error;
    }
  }

  /** @throws DoesNotOpen; Error when no answer was stored */
  async read(
    owner: Pick<OauthGrant, 'organization_id' | 'credential_id'>,
    attempt: RefreshAttempt,
  ): Promise<RawAnswer> {
    const { id, kid, wrapped_dek: wrappedDek, response_ct: value } = attempt;
    if (!kid || !wrappedDek || !value) throw new Error(`attempt ${id} has no answer`);
    return this.sealer.openAnswer(owner, id, { kid, wrappedDek, value });
  }

  /** The tokens of a stored answer that was never put in place. @returns null when it has none; @throws DoesNotOpen */
  async tokensOf(
    owner: Pick<OauthGrant, 'organization_id' | 'credential_id'>,
    attempt: RefreshAttempt,
    { quirks }: ProviderConfig,
  ): Promise<IssuedTokens | null> {
    const { access_token: accessToken, refresh_token: refreshToken } =
      normalise(await this.read(owner, attempt), quirks).fields ?? {};
    if (typeof accessToken !== 'string') return null;
    return {
      accessToken: new Secret(accessToken),
      refreshToken: typeof refreshToken === 'string' ? new Secret(refreshToken) : null,
    };
  }
}
