import { credentialRefresh } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DoesNotOpen } from '../sealing/aead.js';
import type { Secret } from '../sealing/secret.js';
import { mergedFields } from '../oauth-providers/answer-fields.js';
import { requestTokens, type TokenRequest, type Tokens, type Transport } from '../oauth-providers/token-endpoint.js';
import { TokenRefused } from '../oauth-providers/token-refused.js';
import { AnswerJournal } from './answer-journal.js';
import { ClientPauses } from './client-pauses.js';
import { GrantClients, type GrantClient } from './grant-clients.js';
import { GrantSealer } from './grant-sealer.js';
import type { OauthGrant } from './grant.entity.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { GrantRepository, type TimedGrant } from './grant.repository.js';
import { LateTokens } from './late-tokens.js';
import type { RefreshAttempt } from './refresh-attempt.entity.js';
import { RefreshAttemptRepository } from './refresh-attempt.repository.js';
import { timesOf } from './refresh-schedule.js';
import { verdictOn } from './refresh-verdict.js';
import { GateClosed, TokenHostGate } from './token-host-gate.js';

/** `busy`: another process works on it; `retry`: at once; `waiting`: not due; `failed`, `ended`: see the row. */
export type AttemptOutcome = 'refreshed' | 'busy' | 'retry' | 'waiting' | 'failed' | 'ended';

const longestDelaySeconds = 86_400;
/** Then a paused grant looks again, should a process die between a change of the client and the end of its pause. */
const pauseRecheckSeconds = 300;

/** One step of a refresh: puts a stored answer in place, or sends one request. docs/vault.md explains the order. */
@Injectable()
export class RefreshAttempts {
  private readonly logger = new Logger('refresh');

  constructor(
    private readonly grants: GrantRepository,
    private readonly attempts: RefreshAttemptRepository,
    private readonly clients: GrantClients,
    private readonly pauses: ClientPauses,
    private readonly sealer: GrantSealer,
    private readonly journal: AnswerJournal,
    private readonly late: LateTokens,
    private readonly gate: TokenHostGate,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @throws errors of Postgres; the attempt is then continued by the next caller or the sweeper */
  async make({ grant, waitSeconds, floorSeconds }: TimedGrant): Promise<AttemptOutcome> {
    const client = await this.clients.of(grant);
    const request = await this.requestFor(grant);
    if (!request) return 'ended';
    const kept = await this.attempts.unpromoted(grant);
    const placed = kept && (await this.placeKept(grant, client, request, kept));
    if (placed) return placed;
    const changed = client.generation !== grant.client_config_version;
    if (floorSeconds > 0 || (waitSeconds > 0 && !changed)) return 'waiting';
    const pausedFor = await this.pauses.secondsOf(grant, client);
    if (pausedFor > 0) {
      await this.grants.pause(grant, client.generation, Math.min(pausedFor, pauseRecheckSeconds));
      return 'waiting';
    }
    try {
      return await this.gate.run(grant.client_key ?? grant.credential_id, () => this.ask(grant, client, request));
    } catch (error) {
      if (error instanceof GateClosed) return 'waiting';
      throw error;
    }
  }

  /** @returns null when the answer was malformed before and still is, so that a new request is needed */
  private async placeKept(
    grant: OauthGrant,
    client: GrantClient,
    request: TokenRequest,
    kept: RefreshAttempt,
  ): Promise<AttemptOutcome | null> {
    const transport: Transport = () => this.journal.read(grant, kept);
    if (kept.error_class !== null) {
      const readable = await requestTokens(client.provider, client, request, transport).catch((error: unknown) => {
        if (!(error instanceof TokenRefused)) throw error;
      });
      if (!readable) return null;
    }
    if (kept.id !== grant.attempt_id && !(await this.attempts.adopt(grant, kept.id))) return 'busy';
    return this.settle({ ...grant, attempt_id: kept.id }, client, request, kept.id, transport);
  }

  private async ask(grant: OauthGrant, client: GrantClient, request: TokenRequest): Promise<AttemptOutcome> {
    const attemptId = await this.attempts.begin(grant, client.generation);
    if (!attemptId) return 'busy';
    const lost = grant.attempt_id === null ? 0 : 1;
    const claimed = { ...grant, attempt_id: attemptId, unanswered: grant.unanswered + lost };
    const heartbeat = setInterval(() => {
      this.attempts.beat(grant, attemptId).catch((error: unknown) => {
        this.logger.warn({ event: 'refresh.no_heartbeat', attempt: attemptId, error: String(error) });
      });
    }, this.settings.REFRESH_TAKEOVER_MS / 4);
    try {
      return await this.settle(claimed, client, request, attemptId, this.journal.keeping(grant, attemptId));
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async settle(
    grant: OauthGrant,
    client: GrantClient,
    request: TokenRequest,
    attemptId: string,
    transport: Transport,
  ): Promise<AttemptOutcome> {
    const gateKey = grant.client_key ?? grant.credential_id;
    try {
      const tokens = await requestTokens(client.provider, client, request, transport);
      this.gate.note(gateKey, true);
      return await this.promote(grant, client, request, attemptId, tokens);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      this.gate.note(gateKey, !['transient', 'unsent', 'unanswered'].includes(error.failure));
      return this.refused(grant, client, attemptId, error);
    }
  }

  private async promote(
    grant: OauthGrant,
    client: GrantClient,
    request: TokenRequest,
    attemptId: string,
    tokens: Tokens,
  ): Promise<AttemptOutcome> {
    // A provider that does not rotate refresh tokens sends no new one, so the old one is kept (RFC 6749 section 6).
    const refreshToken = tokens.refreshToken ?? (request.grant === 'refresh_token' ? request.refreshToken : null);
    const times = timesOf({
      expiresIn: tokens.expiresIn,
      refreshIdle: tokens.refreshExpiresIn ?? grant.provider?.quirks.refresh_token_idle_seconds ?? null,
      renewable: refreshToken !== null || grant.grant_type === 'client_credentials',
      floor: this.settings.REFRESH_MIN_INTERVAL_SECONDS,
    });
    const version = grant.version + 1;
    const answerFields = mergedFields(await this.answerFieldsOf(grant), tokens.answerFields);
    const placed = { accessToken: tokens.accessToken, refreshToken, answerFields };
    const sealed = await this.sealer.sealTokens(grant, version, placed);
    const promoted = await this.grants.promote(grant, attemptId, { sealed, times, scopes: tokens.scopes });
    this.logger.log({ event: 'refresh.done', credential_id: grant.credential_id, version, promoted });
    if (!promoted) {
      const consent = { ...grant, account: tokens.account ?? grant.account };
      await this.late.letGo({ ...consent, provider: client.provider, attemptId, client, tokens });
      return 'refreshed';
    }
    await this.pauses.accepted(grant, client);
    if (times.dueIn !== null) await this.schedule(grant.credential_id, version, times.dueIn);
    return 'refreshed';
  }

  private async refused(
    grant: OauthGrant,
    client: GrantClient,
    attemptId: string,
    refused: TokenRefused,
  ): Promise<AttemptOutcome> {
    const now = await this.grants.findAny(grant.credential_id);
    if (!now || now.grant.version !== grant.version) return 'refreshed';
    if (refused.failure === 'grant' || refused.failure === 'revoked') {
      const other = await this.attempts.unpromoted(grant, attemptId);
      // Another attempt's answer was stored meanwhile, and that one has the new tokens.
      if (other && (await this.attempts.adopt(grant, other.id))) {
        await this.attempts.fail(attemptId, refused.failure);
        return 'retry';
      }
    }
    const clientChanged = (await this.clients.generationOf(grant)) !== client.generation;
    const { retry, ...verdict } = verdictOn(grant, refused, clientChanged, this.settings.REFRESH_MIN_INTERVAL_SECONDS);
    const pausesClient = refused.failure === 'client' && !clientChanged;
    const failure = { ...verdict, clientConfigVersion: client.generation, pausesClient };
    const failed = await this.grants.fail(grant, attemptId, failure, refused.failure);
    this.logger.warn({
      event: 'refresh.refused',
      credential_id: grant.credential_id,
      version: grant.version,
      failure: refused.failure,
      code: refused.code,
      state: verdict.state,
      reason: verdict.reason,
    });
    if (!failed) return 'busy';
    if (retry) return 'retry';
    if (verdict.state === 'active' || verdict.state === 'degraded')
      await this.schedule(grant.credential_id, grant.version, verdict.retryIn);
    return 'failed';
  }

  /** @returns null when there is nothing to send; the grant's state then says so */
  private async requestFor(grant: OauthGrant): Promise<TokenRequest | null> {
    if (grant.grant_type === 'client_credentials') return { grant: 'client_credentials' };
    try {
      const { refreshToken } = await this.sealer.openTokens(grant);
      if (refreshToken) return { grant: 'refresh_token', refreshToken };
      await this.grants.end(grant, 'needs_reconnect', 'no_refresh_token');
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      this.logger.error({ event: 'credential.undecryptable', credential_id: grant.credential_id, kid: grant.kid });
      await this.grants.end(grant, 'undecryptable', 'its tokens cannot be opened');
    }
    return null;
  }

  /** Of the tokens in place. Client credentials are refreshed although those do not open. */
  private async answerFieldsOf(grant: OauthGrant): Promise<ReadonlyMap<string, Secret>> {
    if (!grant.access_token || !grant.answer_fields) return new Map();
    try {
      return (await this.sealer.openTokens(grant)).answerFields;
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      return new Map();
    }
  }

  /** The sweeper finds due grants anyway. The job makes the refresh punctual. */
  private async schedule(credentialId: string, version: number, inSeconds: number): Promise<void> {
    if (inSeconds > longestDelaySeconds) return;
    const due_at = Math.ceil(Date.now() / 1_000 + inSeconds);
    await this.jobs.enqueueLater(
      credentialRefresh,
      { credential_id: credentialId, version, due_at },
      inSeconds * 1_000,
    );
  }
}
