import { credentialRevoke, newId } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { JobClient } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AuditRepository } from '../audit/audit.repository.js';
import type { CredentialScope } from '../credentials/credential-scope.js';
import type { ProviderConfig } from '../oauth/provider-config.js';
import { revokeToken } from '../oauth/revoke-token.js';
import type { OauthClient } from '../oauth/token-endpoint.js';
import { TokenTransport } from '../oauth/token-transport.js';
import { DoesNotOpen } from '../sealing/aead.js';
import { Secret } from '../sealing/secret.js';
import { GrantClients } from './grant-clients.js';
import { GrantSealer } from './grant-sealer.js';
import { GRANT_SETTINGS, type GrantSettings } from './grant-settings.js';
import type { OauthGrant } from './grant.entity.js';
import { GrantRevocationRepository } from './grant-revocation.repository.js';
import { GrantRepository } from './grant.repository.js';
import type { Revocation } from './revocation.entity.js';
import { RevocationRepository } from './revocation.repository.js';

const maxAttempts = 20;
const sweepBatch = 50;

interface Revoked {
  clientId: string;
  clientSecret: string | null;
  tokens: { hint: 'refresh_token' | 'access_token'; value: string }[];
}

/** Tells providers of tokens that nobody needs any more (RFC 7009). A credential is gone here whether they listen or not. */
@Injectable()
export class RevocationService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('revocation');
  private readonly sweeper: Sweeper;

  constructor(
    @Inject(RevocationRepository) private readonly revocations: RevocationRepository,
    @Inject(GrantRepository) private readonly grants: GrantRepository,
    @Inject(GrantRevocationRepository) private readonly ended: GrantRevocationRepository,
    @Inject(GrantClients) private readonly clients: GrantClients,
    @Inject(GrantSealer) private readonly sealer: GrantSealer,
    @Inject(AuditRepository) private readonly audit: AuditRepository,
    @Inject(TokenTransport) private readonly transport: TokenTransport,
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(GRANT_SETTINGS) private readonly settings: GrantSettings,
  ) {
    const everyMs = settings.REFRESH_SWEEP_MS;
    this.sweeper = new Sweeper({
      name: 'revocations',
      everyMs,
      batch: sweepBatch,
      sweep: (limit) => this.sweep(limit),
    });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeper.stop();
  }

  /**
   * Keeps what revoking a grant's tokens takes.
   * @param credentialStays false: the row does nothing until the credential is deleted
   * @returns the job to wake once the tokens are gone here; null when there is nothing to revoke, or nobody to tell
   */
  async prepare(scope: CredentialScope, credentialId: string, credentialStays = false): Promise<string | null> {
    const grant = (await this.grants.find(scope, credentialId))?.grant;
    if (!grant?.access_token || !grant.provider) return null;
    try {
      const [client, tokens] = await Promise.all([this.clients.of(grant), this.sealer.openTokens(grant)]);
      return await this.prepareFor(grant, grant.provider, client, tokens, credentialStays);
    } catch (error) {
      const closed = error instanceof Problem && error.code === 'credential_undecryptable';
      if (!closed && !(error instanceof DoesNotOpen)) throw error;
      // Tokens that do not open cannot be revoked, and must not keep their credential from being deleted.
      this.logger.error({ event: 'revocation.undecryptable', credential_id: credentialId });
      return null;
    }
  }

  /** As `prepare`, for tokens at hand. */
  async prepareFor(
    { organization_id, credential_id }: Pick<OauthGrant, 'organization_id' | 'credential_id'>,
    provider: ProviderConfig,
    client: OauthClient,
    { accessToken, refreshToken }: { accessToken: Secret; refreshToken: Secret | null },
    credentialStays: boolean,
  ): Promise<string | null> {
    if (!provider.revocation_url) return null;
    const revoked: Revoked = {
      clientId: client.id,
      clientSecret: client.secret?.reveal() ?? null,
      tokens: [
        ...(refreshToken ? [{ hint: 'refresh_token' as const, value: refreshToken.reveal() }] : []),
        { hint: 'access_token', value: accessToken.reveal() },
      ],
    };
    const id = newId('rvk');
    const owner = { organization_id, credential_id };
    const { kid, wrappedDek, value } = await this.sealer.seal(owner, id, new Secret(JSON.stringify(revoked)));
    await this.revocations.insert({
      ...{ id, organization_id, credential_id, provider, kid },
      wrapped_dek: wrappedDek,
      sealed: value,
      credential_stays: credentialStays,
    });
    return id;
  }

  /** Takes a grant's tokens away here, and tells the provider. @throws Problem 404 `grant_not_found` */
  async revokeGrant(caller: Principal, credentialId: string): Promise<void> {
    if (!(await this.grants.find(caller, credentialId))) throw notFound('grant', credentialId);
    const revocation = await this.prepare(caller, credentialId, true);
    await this.ended.revoke(caller, credentialId, 'revoked_by_user');
    if (revocation) await this.wake(revocation);
    const { organizationId, projectId, subject: actor } = caller;
    const fields = ['access_token', 'refresh_token'];
    await this.audit.append([{ organizationId, projectId, credentialId, actor, action: 'revoked', fields }]);
  }

  /** The sweeper finds it if Redis does not take the job. */
  async wake(revocationId: string): Promise<void> {
    await this.jobs.wake(credentialRevoke, { revocation_id: revocationId });
  }

  /** One try of one revocation; its row says when the next one is. */
  async run(id: string): Promise<void> {
    const row = await this.revocations.claim(id);
    if (!row) return;
    try {
      await this.revoke(row);
    } catch (error) {
      const last = row.attempts >= maxAttempts || error instanceof DoesNotOpen;
      this.logger.warn({
        event: 'revocation.failed',
        credential_id: row.credential_id,
        attempt: row.attempts,
        last,
        error: String(error),
      });
      if (!last) return;
    }
    await this.revocations.delete(id);
  }

  private async revoke(row: Revocation): Promise<void> {
    const sealed = { kid: row.kid, wrappedDek: row.wrapped_dek, value: row.sealed };
    const { clientId, clientSecret, tokens } = JSON.parse(
      (await this.sealer.open(row, row.id, sealed)).reveal(),
    ) as Revoked;
    const client = { id: clientId, secret: clientSecret === null ? null : new Secret(clientSecret) };
    for (const { hint, value } of tokens) {
      await revokeToken(row.provider, client, new Secret(value), hint, (url, form, headers) =>
        this.transport.post(url, form, headers, this.settings.TOKEN_TIMEOUT_MS),
      );
    }
    this.logger.log({ event: 'revocation.done', credential_id: row.credential_id, attempts: row.attempts });
  }

  private async sweep(limit: number): Promise<number> {
    await this.revocations.deleteAbandoned();
    const due = await this.revocations.due(limit);
    for (const id of due) await this.run(id);
    return due.length;
  }
}
