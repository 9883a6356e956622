import { credentialRevoke } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { Metrics, notFound, type Principal } from '#libs/service-kit';
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
    const row = await this.revocations.claim(id);
    if (!row) return;
    const { credential_id, attempts, reason } = row;
    try {
      await this.revoke(row);
    } catch (error) {
      const code =
        error instanceof TokenRefused ? error.code : error instanceof DoesNotOpen ? 'undecryptable' : 'failed';
      const gaveUp = attempts >= this.settings.REVOCATION_ATTEMPTS || isForGood(error);
      await this.revocations.failed(id, code, gaveUp);
      this.outcomes.inc({ outcome: gaveUp ? 'gave_up' : 'failed' });
      const told = { credential_id, attempt: attempts, reason, code, error: String(error) };
      if (gaveUp) this.logger.error({ event: 'revocation.gave_up', ...told });
      else this.logger.warn({ event: 'revocation.failed', ...told });
      return;
    }
    await this.revocations.delete(id);
    this.outcomes.inc({ outcome: 'done' });
    this.logger.log({ event: 'revocation.done', credential_id, attempts, reason });
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

/** The provider refuses the client or the request, or the row does not open: a retry would not help. */
function isForGood(error: unknown): boolean {
  if (!(error instanceof TokenRefused)) return error instanceof DoesNotOpen;
  return ['client', 'rejected', 'grant', 'revoked'].includes(error.failure);
}
