import { scopeOf } from '#libs/contracts';
import { Database, Sweeping } from '#libs/database';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuditRepository } from '../audit/audit.repository.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { LeaveReason } from '../grants/revocation.entity.js';
import { RevocationService } from '../grants/revocation.service.js';
import { TokenCustody } from '../grants/token-custody.js';
import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { OauthFlowRepository } from '../oauth-flows/oauth-flow.repository.js';

/**
 * Revokes the tokens of other accounts that nobody confirmed in time, or that were declined: nobody uses them, but they
 * still work.
 */
@Injectable()
export class UnconfirmedAccounts extends Sweeping {
  private readonly logger = new Logger('oauth');

  constructor(
    private readonly flows: OauthFlowRepository,
    private readonly db: Database,
    private readonly custody: TokenCustody,
    private readonly audit: AuditRepository,
    private readonly revocations: RevocationService,
    @Inject(SETTINGS) { REFRESH_SWEEP_MS: everyMs }: VaultSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'unconfirmed-accounts',
      everyMs,
      batch: 100,
      sweep: (limit) => this.sweep(limit),
    });
  }

  /** Declines the other account. @throws Problem 404 `flow_not_found` */
  async decline(caller: Principal, credentialId: string, flowId: string): Promise<void> {
    const flow = await this.flows.findUnconfirmed(caller, credentialId, flowId);
    if (!flow || !(await this.letGo(flow, 'declined'))) throw notFound('flow', flowId);
    const { organizationId, projectId, subject: actor } = caller;
    const fields = ['access_token', 'refresh_token'];
    const reason = 'the other account was declined';
    await this.audit.append([{ organizationId, projectId, credentialId, actor, action: 'revoked', fields, reason }]);
  }

  private async sweep(limit: number): Promise<number> {
    const flows = await this.flows.unconfirmedInTime(limit);
    for (const flow of flows) {
      try {
        await this.letGo(flow, 'not_confirmed');
      } catch (error) {
        // The credential was deleted meanwhile, with everything that it held.
        if (!(error instanceof Problem)) throw error;
        this.logger.log({ event: 'oauth.deleted_meanwhile', flow: flow.id, credential_id: flow.credential_id });
      }
    }
    return flows.length;
  }

  /** @returns false when someone else was first */
  private async letGo(flow: OauthFlow, reason: LeaveReason): Promise<boolean> {
    const client = await this.custody.clientOf(scopeOf(flow), flow.credential_id);
    const taken = await this.db.transaction(async (manager) => {
      if (!(await this.flows.forgetTokens(manager, flow))) return null;
      return this.custody.takeAnswer(manager, flow, flow.unconfirmed_attempt ?? '', client, reason);
    });
    if (!taken) return false;
    for (const id of taken) await this.revocations.enqueue(id);
    this.logger.log({ event: 'oauth.account_let_go', flow: flow.id, credential_id: flow.credential_id, reason });
    return true;
  }
}
