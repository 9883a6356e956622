import { Sweeper } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { GRANT_SETTINGS, type GrantSettings } from '../grants/grant-settings.js';
import { GrantClients } from '../grants/grant-clients.js';
import { RevocationService } from '../grants/revocation.service.js';
import { DoesNotOpen } from '../sealing/aead.js';
import { CodeAnswers, scopeOf } from './code-answers.service.js';
import type { OauthFlow } from './oauth-flow.entity.js';
import { OauthFlowRepository } from './oauth-flow.repository.js';
import { TokenRefused } from './token-refused.js';

/** Revokes the tokens of other accounts that nobody confirmed in time: they are of use to no one, and still work. */
@Injectable()
export class UnconfirmedAccounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('oauth');
  private readonly sweeper: Sweeper;

  constructor(
    @Inject(OauthFlowRepository) private readonly flows: OauthFlowRepository,
    @Inject(CodeAnswers) private readonly answers: CodeAnswers,
    @Inject(GrantClients) private readonly clients: GrantClients,
    @Inject(RevocationService) private readonly revocations: RevocationService,
    @Inject(GRANT_SETTINGS) { REFRESH_SWEEP_MS: everyMs }: GrantSettings,
  ) {
    this.sweeper = new Sweeper({
      name: 'unconfirmed-accounts',
      everyMs,
      batch: 100,
      sweep: (limit) => this.sweep(limit),
    });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeper.stop();
  }

  private async sweep(limit: number): Promise<number> {
    const flows = await this.flows.unconfirmedInTime(limit);
    for (const flow of flows) await this.revoke(flow);
    return flows.length;
  }

  /** The revocation is written down before the flow forgets its tokens: revoking twice does no harm. */
  private async revoke(flow: OauthFlow): Promise<void> {
    try {
      const tokens = await this.answers.kept(flow);
      const client = await this.clients.read(scopeOf(flow), flow.credential_id);
      const revocation = tokens && (await this.revocations.prepareFor(flow, flow.provider, client, tokens, true));
      await this.flows.forgetTokens(flow.id);
      if (revocation) await this.revocations.wake(revocation);
      this.logger.log({ event: 'oauth.account_not_confirmed', flow: flow.id, credential_id: flow.credential_id });
    } catch (error) {
      // What does not open, or cannot be read, never will: it must not keep the others from their turn.
      if (![DoesNotOpen, TokenRefused, Problem].some((known) => error instanceof known)) throw error;
      this.logger.error({ event: 'oauth.tokens_not_revoked', flow: flow.id, error: String(error) });
      await this.flows.forgetTokens(flow.id);
    }
  }
}
