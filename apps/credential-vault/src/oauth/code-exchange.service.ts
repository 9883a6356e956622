import { credentialRefresh, type ProjectScope, scopeOf } from '#libs/contracts';
import { notFound, Problem } from '#libs/service-kit';
import { JobClient } from '#libs/queue';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type CredentialChange, CredentialRepository } from '../credential-store/credential.repository.js';
import { ClientPauses } from '../grants/client-pauses.js';
import { clientKeyOf, GrantClients } from '../grants/grant-clients.js';
import { GrantSealer } from '../grants/grant-sealer.js';
import { GrantRepository } from '../grants/grant.repository.js';
import { LateTokens } from '../grants/late-tokens.js';
import { RefreshAttemptRepository } from '../grants/refresh-attempt.repository.js';
import { timesOf } from '../grants/refresh-schedule.js';
import { RevocationService } from '../grants/revocation.service.js';
import { mayShareConsent } from '../grants/shared-consent.js';
import { TokenCustody } from '../grants/token-custody.js';
import { Verifier } from '../verification/verifier.js';
import { CodeAnswerService } from './code-answer.service.js';
import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { OauthFlowRepository } from '../oauth-flows/oauth-flow.repository.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { Tokens } from '../oauth-providers/token-endpoint.js';
import { TokenRefused } from '../oauth-providers/token-refused.js';

export interface Connected {
  flow: OauthFlow;
  /** `other_account`: the new tokens wait until a person confirms them. The existing ones still work. */
  outcome: 'connected' | 'other_account';
  missingScopes: string[];
}

/** Exchanges a code for tokens, which replace the credential's existing ones. */
@Injectable()
export class CodeExchange {
  private readonly logger = new Logger('oauth');

  constructor(
    private readonly grants: GrantRepository,
    private readonly clients: GrantClients,
    private readonly pauses: ClientPauses,
    private readonly sealer: GrantSealer,
    private readonly answers: CodeAnswerService,
    private readonly custody: TokenCustody,
    private readonly late: LateTokens,
    private readonly revocations: RevocationService,
    private readonly attempts: RefreshAttemptRepository,
    private readonly flows: OauthFlowRepository,
    private readonly credentials: CredentialRepository,
    private readonly verifier: Verifier,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @throws Problem 502 `exchange_failed`, 404 `credential_not_found`, 409 `disconnected_meanwhile` */
  async exchange(flow: OauthFlow, code: string, state: string, iss: string | null): Promise<Connected> {
    // Read before the code is sent, since the credential may be deleted by the time its tokens arrive.
    const client = await this.clients.read(scopeOf(flow), flow.credential_id);
    const attemptId = await this.attempts.beginConnect(flow);
    const tokens = await this.answers.ask(flow, attemptId, code, state, iss).catch(async (error: unknown) => {
      if (!(error instanceof TokenRefused)) throw error;
      await this.attempts.fail(attemptId, error.failure);
      this.logger.warn({ event: 'oauth.exchange_failed', flow: flow.id, failure: error.failure, code: error.code });
      throw new Problem(
        502,
        'exchange_failed',
        `The provider did not accept the code (${error.code}): start the connection again.`,
      );
    });
    try {
      const identity = await this.identityOf(flow, tokens);
      if (!(await this.isAnother(flow, tokens, identity))) {
        return await this.putInPlace(flow, attemptId, tokens, identity, false);
      }
      const waits = await this.flows.awaitConfirmation(flow.id, attemptId, this.settings.OAUTH_FLOW_SECONDS);
      if (!waits) throw disconnected();
      return { flow, outcome: 'other_account', missingScopes: [] };
    } catch (error) {
      // After any other error, another process finds the stored answer.
      if (!(error instanceof Problem)) throw error;
      const { provider, organization_id, project_id, credential_id } = flow;
      const client_key = clientKeyOf(organization_id, provider, client.id);
      const owner = { organization_id, project_id, credential_id, client_key, account: tokens.account };
      await this.late.letGo({ ...owner, version: null, attemptId, provider, client, tokens });
      throw error;
    }
  }

  /** Accepts the other account. @throws Problem 404 `flow_not_found` */
  async confirm(scope: ProjectScope, credentialId: string, flowId: string): Promise<Connected> {
    const flow = await this.flows.findUnconfirmed(scope, credentialId, flowId);
    const tokens = flow && (await this.answers.kept(flow));
    if (!flow?.unconfirmed_attempt || !tokens) throw notFound('flow', flowId);
    const identity = await this.identityOf(flow, tokens);
    // The person has just confirmed that it is another account, so the reason is dropped.
    const noted = identity?.account_fingerprint ? { ...identity, reason: null } : identity;
    return this.putInPlace(flow, flow.unconfirmed_attempt, tokens, noted, true);
  }

  /** The adapter's verdict on the tokens. With a custom configuration, only the credential can name an adapter. */
  private async identityOf(flow: OauthFlow, { accessToken, answerFields }: Tokens): Promise<CredentialChange | null> {
    const found = await this.grants.find(scopeOf(flow), flow.credential_id);
    const slug = found?.grant.inline_config === null ? flow.provider.slug : null;
    const caller = { ...scopeOf(flow), subject: flow.subject };
    const tokens = new Map([...answerFields, ['access_token', accessToken]]);
    return this.verifier.ofTokens(caller, flow.credential_id, tokens, slug);
  }

  /** Another account, according to the adapter or to the provider. Either one is enough to ask first. */
  private async isAnother(flow: OauthFlow, tokens: Tokens, identity: CredentialChange | null): Promise<boolean> {
    const [before, credential] = await Promise.all([
      this.grants.find(scopeOf(flow), flow.credential_id),
      this.credentials.find(scopeOf(flow), flow.credential_id),
    ]);
    return (
      differ(credential?.account_fingerprint, identity?.account_fingerprint) ||
      differ(before?.grant.account, tokens.account)
    );
  }

  /** @param another a person has just confirmed this account, which differs from that of the existing tokens */
  private async putInPlace(
    flow: OauthFlow,
    attemptId: string,
    tokens: Tokens,
    identity: CredentialChange | null,
    another: boolean,
  ): Promise<Connected> {
    const { provider, credential_id: credentialId } = flow;
    const client = await this.clients.read(scopeOf(flow), credentialId);
    const scopes = tokens.scopes ?? provider.scopes;
    const missingScopes = provider.scopes.filter((scope) => !scopes.includes(scope));
    const times = timesOf({
      expiresIn: tokens.expiresIn,
      refreshIdle: tokens.refreshExpiresIn ?? provider.quirks.refresh_token_idle_seconds ?? null,
      renewable: tokens.refreshToken !== null,
      floor: this.settings.REFRESH_MIN_INTERVAL_SECONDS,
    });
    const consent = {
      provider,
      clientKey: clientKeyOf(flow.organization_id, provider, client.id),
      clientConfigVersion: client.generation,
      account: tokens.account,
      missingScopes,
    };
    let left: string[] = [];
    const version = await this.grants.connect(
      credentialId,
      attemptId,
      consent,
      { times, scopes },
      (next) => this.sealer.sealTokens(flow, next, tokens),
      async (manager, before) => {
        if (another && !(await this.flows.confirm(manager, flow.id))) throw notFound('flow', flow.id);
        const inUse = { client_key: consent.clientKey, account: tokens.account, provider };
        if (!another && mayShareConsent(inUse, before)) return;
        left = await this.custody.takePlaced(manager, before, client, 'replaced');
      },
    );
    if (version === null) throw disconnected();
    for (const revocation of left) await this.revocations.enqueue(revocation);
    await this.pauses.accepted({ client_key: consent.clientKey, credential_id: credentialId }, client);
    // The grant determines the status. The adapter's verdict adds the account and the reason for a refusal.
    if (identity) {
      const { status: _grants, ...noted } = identity;
      await this.credentials.note(credentialId, client.generation, noted);
    }
    this.logger.log({
      event: 'oauth.connected',
      flow: flow.id,
      credential_id: credentialId,
      missing: missingScopes.length,
    });
    if (times.dueIn !== null) {
      const payload = { credential_id: credentialId, version, due_at: Math.ceil(Date.now() / 1_000 + times.dueIn) };
      await this.jobs.enqueueLater(credentialRefresh, payload, times.dueIn * 1_000);
    }
    return { flow, outcome: 'connected', missingScopes };
  }
}

function disconnected(): Problem {
  return new Problem(
    409,
    'disconnected_meanwhile',
    'The credential was disconnected or deleted while it was being connected: connect it again.',
  );
}

const differ = (one: string | null | undefined, other: string | null | undefined): boolean =>
  Boolean(one && other && one !== other);
