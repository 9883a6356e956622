import type { Transaction } from '#libs/database';
import { newId, type ProjectScope } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable, Logger } from '@nestjs/common';
import { OauthFlowRepository } from '../oauth-flows/oauth-flow.repository.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import type { IssuedTokens, OauthClient } from '../oauth-providers/token-endpoint.js';
import { DoesNotOpen } from '../sealing/aead.js';
import { Secret } from '../sealing/secret.js';
import { AnswerJournal } from './answer-journal.js';
import { GrantClients } from './grant-clients.js';
import { GrantSealer } from './grant-sealer.js';
import { OauthGrant } from './grant.entity.js';
import { GrantRepository } from './grant.repository.js';
import { finish } from './grant-transition.repository.js';
import type { RefreshAttempt } from './refresh-attempt.entity.js';
import { RefreshAttemptRepository, type StrandedAnswer } from './refresh-attempt.repository.js';
import type { LeaveReason } from './revocation.entity.js';
import { RevocationRepository } from './revocation.repository.js';

/** The content of a revocation's row, which is sealed. */
export interface KeptTokens {
  clientId: string;
  clientSecret: string | null;
  tokens: { hint: 'refresh_token' | 'access_token'; value: string }[];
}

type Holder = Pick<OauthGrant, 'organization_id' | 'project_id' | 'credential_id'>;
/** A grant or a flow. */
type Owner = Holder & Pick<OauthGrant, 'provider'>;

/**
 * Takes custody of tokens that are no longer needed, in the transaction that gives them up, until their provider has
 * revoked them. So tokens that still work are always stored somewhere.
 */
@Injectable()
export class TokenCustody {
  private readonly logger = new Logger('revocation');

  constructor(
    private readonly grants: GrantRepository,
    private readonly revocations: RevocationRepository,
    private readonly attempts: RefreshAttemptRepository,
    private readonly flows: OauthFlowRepository,
    private readonly journal: AnswerJournal,
    private readonly clients: GrantClients,
    private readonly sealer: GrantSealer,
  ) {}

  /**
   * The client that a credential's tokens belong to. It is read before the transaction.
   * @returns null when it does not open, or there is no grant
   */
  async clientOf(scope: ProjectScope, credentialId: string): Promise<OauthClient | null> {
    if (!(await this.grants.find(scope, credentialId))) return null;
    try {
      return await this.clients.read(scope, credentialId);
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'credential_undecryptable')) throw error;
      this.lost(credentialId, error.code);
      return null;
    }
  }

  /** @returns the revocation to enqueue after the commit; null when the provider has no revocation endpoint */
  async take(
    manager: Transaction,
    { organization_id, project_id, credential_id }: Holder,
    from: { provider: ProviderConfig; client: OauthClient; tokens: IssuedTokens },
    reason: LeaveReason,
  ): Promise<string | null> {
    const { provider, client, tokens } = from;
    if (!provider.revocation_url) {
      this.logger.warn({ event: 'revocation.no_endpoint', credential_id, provider: provider.slug, reason });
      return null;
    }
    const kept: KeptTokens = {
      clientId: client.id,
      clientSecret: client.secret?.reveal() ?? null,
      tokens: [
        ...(tokens.refreshToken ? [{ hint: 'refresh_token' as const, value: tokens.refreshToken.reveal() }] : []),
        { hint: 'access_token' as const, value: tokens.accessToken.reveal() },
      ].filter(({ value }) => value !== ''),
    };
    const owner = { organization_id, project_id, credential_id };
    const id = newId('rvk');
    const { kid, wrappedDek, value } = await this.sealer.seal(owner, id, new Secret(JSON.stringify(kept)));
    await this.revocations.insert(manager, {
      id,
      ...owner,
      provider,
      kid,
      cause: reason,
      wrapped_dek: wrappedDek,
      sealed: value,
    });
    return id;
  }

  /** Takes the tokens that a grant has in place. */
  async takePlaced(
    manager: Transaction,
    grant: OauthGrant,
    client: OauthClient,
    reason: LeaveReason,
  ): Promise<string[]> {
    const { provider } = grant;
    if (!grant.access_token || !provider) return [];
    return this.opened(grant, () => this.sealer.openTokens(grant), manager, { provider, client }, reason);
  }

  /**
   * Takes everything that a credential holds: its grant's tokens in place and all stored answers that are not,
   * including those that wait for a confirmation. Locks the grant, its flows and its attempts, in this order, until the
   * transaction ends.
   */
  async takeAll(
    manager: Transaction,
    scope: ProjectScope,
    credentialId: string,
    client: OauthClient | null,
    reason: LeaveReason,
  ): Promise<string[]> {
    const grant = await lockGrant(manager, scope, credentialId);
    if (!grant) return [];
    await this.flows.forgetAll(manager, credentialId);
    const open = await this.attempts.lockOpen(manager, credentialId);
    const placed = client ? await this.takePlaced(manager, grant, client, reason) : [];
    return [...placed, ...(await this.takeAnswers(manager, grant, open, client, reason))];
  }

  /** Takes an answer whose process died, unless the grant has tokens in use by now. */
  async takeStranded(
    manager: Transaction,
    { attemptId, credentialId, ...scope }: StrandedAnswer,
    client: OauthClient | null,
  ): Promise<string[]> {
    const grant = await lockGrant(manager, scope, credentialId);
    if (!grant || grant.access_token) return [];
    return this.takeAnswer(manager, grant, attemptId, client, 'stranded');
  }

  /** Takes one stored answer that is not in place. */
  async takeAnswer(
    manager: Transaction,
    owner: Owner,
    attemptId: string,
    client: OauthClient | null,
    reason: LeaveReason,
  ): Promise<string[]> {
    const open = await this.attempts.lockOpen(manager, owner.credential_id, attemptId);
    return this.takeAnswers(manager, owner, open, client, reason);
  }

  private async takeAnswers(
    manager: Transaction,
    owner: Owner,
    attempts: RefreshAttempt[],
    client: OauthClient | null,
    reason: LeaveReason,
  ): Promise<string[]> {
    const ids: string[] = [];
    for (const attempt of attempts) {
      if (!attempt.response_ct) continue;
      const provider = attempt.provider ?? owner.provider;
      if (provider && client) {
        const read = () => this.journal.tokensOf(owner, attempt, provider);
        ids.push(...(await this.opened(owner, read, manager, { provider, client }, reason)));
      }
      await finish(manager, attempt.id, 'let_go');
    }
    return ids;
  }

  /** Tokens that do not open cannot be revoked. They must not block the deletion of their credential. */
  private async opened(
    owner: Owner,
    open: () => Promise<IssuedTokens | null>,
    manager: Transaction,
    of: { provider: ProviderConfig; client: OauthClient },
    reason: LeaveReason,
  ): Promise<string[]> {
    try {
      const tokens = await open();
      const id = tokens && (await this.take(manager, owner, { ...of, tokens }, reason));
      return id ? [id] : [];
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      this.lost(owner.credential_id, 'undecryptable');
      return [];
    }
  }

  private lost(credentialId: string, code: string): void {
    this.logger.error({ event: 'revocation.undecryptable', credential_id: credentialId, code });
  }
}

function lockGrant(
  manager: Transaction,
  { organizationId, projectId }: ProjectScope,
  credentialId: string,
): Promise<OauthGrant | null> {
  return manager.findOne(OauthGrant, {
    where: { credential_id: credentialId, organization_id: organizationId, project_id: projectId },
    lock: { mode: 'pessimistic_write' },
  });
}
