import { credentialRevoke } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { Metrics, notFound, type Principal } from '#libs/service-kit';
import { settlementOf, type Verdict } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { AuditRepository } from '../audit/audit.repository.js';
import { revokeToken } from '../oauth-providers/revoke-token.js';
import { TokenRefused } from '../oauth-providers/token-refused.js';
import { TokenTransport } from '../oauth-providers/token-transport.js';
import { DoesNotOpen } from '../sealing/aead.js';
import { Secret } from '../sealing/secret.js';
import { GrantSealer } from './grant-sealer.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { GrantRevocationRepository } from './grant-revocation.repository.js';
import { GrantRepository } from './grant.repository.js';
import type { Revocation } from './revocation.entity.js';
import { RevocationRepository } from './revocation.repository.js';
import { type KeptTokens, TokenCustody } from './token-custody.js';

const backoff = { baseMs: 15_000, capMs: 3_600_000 };

/** Revokes tokens that are no longer needed at their provider (RFC 7009). Here they are removed in any case. */
@Injectable()
export class RevocationService {
  private readonly logger = new Logger('revocation');
  private readonly outcomes: Counter<'outcome'>;

  constructor(
    private readonly revocations: RevocationRepository,
    private readonly grants: GrantRepository,
    private readonly ended: GrantRevocationRepository,
    private readonly custody: TokenCustody,
    private readonly sealer: GrantSealer,
    private readonly audit: AuditRepository,
    private readonly transport: TokenTransport,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
    metrics: Metrics,
  ) {
    this.outcomes = new Counter({
      name: 'gatehouse_oauth_revocations_total',
      help: 'Tries to revoke tokens at their provider by outcome',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  /** Removes a grant's tokens here and revokes them at the provider. @throws Problem 404 `grant_not_found` */
  async revokeGrant(caller: Principal, credentialId: string): Promise<void> {
    if (!(await this.grants.find(caller, credentialId))) throw notFound('grant', credentialId);
    const client = await this.custody.clientOf(caller, credentialId);
    const taken = await this.ended.revoke(caller, credentialId, 'revoked_by_user', (manager) =>
      this.custody.takeAll(manager, caller, credentialId, client, 'disconnected'),
    );
    for (const id of taken) await this.enqueue(id);
    const { organizationId, projectId, subject: actor } = caller;
    const fields = ['access_token', 'refresh_token'];
    await this.audit.append([{ organizationId, projectId, credentialId, actor, action: 'revoked', fields }]);
  }

  /** If Redis does not accept the job, the sweeper finds the row. */
  async enqueue(revocationId: string): Promise<void> {
    await this.jobs.enqueue(credentialRevoke, { revocation_id: revocationId });
  }

  /** One try of one revocation. Its row says when the next one is, or why there is none. */
  async run(id: string): Promise<void> {
    const { work } = this.revocations;
    const row = await work.claim(id);
    if (!row) return;
    const { claim, credential_id, tries: attempt, cause } = row;
    try {
      await work.run({ key: id, claim }, () => this.revoke(row));
    } catch (error) {
      const policy = { tries: this.settings.REVOCATION_ATTEMPTS, backoff, jitter: 0.2, ageMs: null, failuresAge: true };
      const settlement = settlementOf(id, row, verdictOn(error), policy);
      await work.settle([settlement]);
      const gaveUp = settlement.state === 'dead';
      this.outcomes.inc({ outcome: gaveUp ? 'gave_up' : 'failed' });
      const facts = { credential_id, attempt, cause, code: settlement.reason, error: String(error) };
      if (gaveUp) this.logger.error({ event: 'revocation.gave_up', ...facts });
      else this.logger.warn({ event: 'revocation.failed', ...facts });
      return;
    }
    await this.revocations.delete(row);
    this.outcomes.inc({ outcome: 'done' });
    this.logger.log({ event: 'revocation.done', credential_id, attempt, cause });
  }

  private async revoke(row: Revocation): Promise<void> {
    const sealed = { kid: row.kid, wrappedDek: row.wrapped_dek, value: row.sealed };
    const kept = JSON.parse((await this.sealer.open(row, row.id, sealed)).reveal()) as KeptTokens;
    const client = { id: kept.clientId, secret: kept.clientSecret === null ? null : new Secret(kept.clientSecret) };
    for (const { hint, value } of kept.tokens) {
      await revokeToken(row.provider, client, new Secret(value), hint, (url, form, headers) =>
        this.transport.post(url, form, headers, this.settings.TOKEN_TIMEOUT_MS),
      );
    }
  }
}

/** A retry does not help where the provider refuses the client or the request, or the row does not open. */
function verdictOn(error: unknown): Verdict {
  if (error instanceof DoesNotOpen) return { do: 'dead', code: 'undecryptable' };
  if (!(error instanceof TokenRefused)) return { do: 'retry', code: 'failed' };
  const isForGood = ['client', 'rejected', 'grant', 'revoked'].includes(error.failure);
  return { do: isForGood ? 'dead' : 'retry', code: error.code };
}
