import type { ScopeColumns } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable, Logger } from '@nestjs/common';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import type { IssuedTokens, OauthClient } from '../oauth-providers/token-endpoint.js';
import { OauthGrant } from './grant.entity.js';
import { finish } from './grant-transition.repository.js';
import { keepTrying } from './keep-trying.js';
import { RevocationService } from './revocation.service.js';
import { type ConsentOf, mayShareConsent } from './shared-consent.js';
import { TokenCustody } from './token-custody.js';

/** Tokens that arrived when they could no longer be put in place. */
export interface Late extends ConsentOf, ScopeColumns {
  credential_id: string;
  /** The grant's version that the request was to replace; null for a code. */
  version: number | null;
  attemptId: string;
  provider: ProviderConfig;
  client: OauthClient;
  tokens: IssuedTokens;
}

/**
 * Handles a refresh that outlives its grant, or a code whose credential was deleted. The tokens are revoked, unless
 * that could end others.
 */
@Injectable()
export class LateTokens {
  private readonly logger = new Logger('revocation');

  constructor(
    private readonly db: Database,
    private readonly custody: TokenCustody,
    private readonly revocations: RevocationService,
  ) {}

  async letGo(late: Late): Promise<void> {
    const { credential_id, attemptId } = late;
    const id = await keepTrying(
      () => this.taken(late),
      (error) =>
        this.logger.error({ event: 'revocation.not_kept', credential_id, attempt: attemptId, error: String(error) }),
    );
    if (id) await this.revocations.enqueue(id);
  }

  private taken(late: Late): Promise<string | null> {
    return this.db.transaction(async (manager) => {
      const { credential_id } = late;
      const now = await manager.findOne(OauthGrant, { where: { credential_id }, lock: { mode: 'pessimistic_write' } });
      // Another process has taken the attempt over. It finds this answer in the journal.
      if (now && now.version === late.version) return null;
      if (now?.access_token && mayShareConsent(now, late)) return null;
      await finish(manager, late.attemptId, 'let_go');
      return this.custody.take(manager, late, late, 'late');
    });
  }
}
