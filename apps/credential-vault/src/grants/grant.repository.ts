import type { ProjectScope } from '#libs/contracts';
import { notHeldSql } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { SealedTokens } from './grant-sealer.js';
import { type GrantState, type GrantType, OauthGrant } from './grant.entity.js';
import { finish, transition } from './grant-transition.repository.js';
import { pauseClient } from './client-pause.repository.js';
import type { TokenTimes } from './refresh-schedule.js';

/** A grant, with times relative to the database's clock. */
export interface TimedGrant {
  grant: OauthGrant;
  /** Seconds of life left; null for a token that does not expire, negative once it has expired. */
  validFor: number | null;
  due: boolean;
  /** Seconds until a refresh may be sent. */
  waitSeconds: number;
  /** The part of them for which a new client does not help: its tokens are new. */
  floorSeconds: number;
}

export interface NewTokens {
  sealed: SealedTokens;
  times: TokenTimes;
  scopes: string[] | null;
}

export interface Failure {
  state: GrantState;
  reason: string | null;
  /** Seconds until the next try. */
  retryIn: number;
  unanswered: number;
  /** The credential's generation whose client was used. */
  clientConfigVersion: number;
  /** The provider refused the client, so equal ones pause until the next try too. */
  pausesClient: boolean;
}

/** What a person's consent adds to new tokens. */
export interface Consent {
  provider: ProviderConfig;
  clientKey: string;
  clientConfigVersion: number;
  account: string | null;
  missingScopes: string[];
}

const never = "'infinity'::timestamptz";
const floorEnd = 'g.obtained_at + make_interval(secs => :floor)';

@Injectable()
export class GrantRepository {
  private readonly floorSeconds: number;

  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) settings: VaultSettings,
  ) {
    this.floorSeconds = settings.REFRESH_MIN_INTERVAL_SECONDS;
  }

  async find(scope: ProjectScope, credentialId: string): Promise<TimedGrant | null> {
    return this.timed('g.organization_id = :organizationId AND g.project_id = :projectId', scope, credentialId);
  }

  /** For work without a caller: the sweeper, a job. */
  async findAny(credentialId: string): Promise<TimedGrant | null> {
    return this.timed('true', {}, credentialId);
  }

  /** Sets provider and grant type. Existing tokens stay until they are replaced; client credentials are due at once. */
  async configure(
    scope: ProjectScope,
    row: { credentialId: string; grantType: GrantType; slug: string; inline: Record<string, unknown> | null },
    ready: { provider: ProviderConfig; clientKey: string; clientConfigVersion: number } | null,
  ): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.query(
        `INSERT INTO vault.oauth_grant (credential_id, organization_id, project_id, grant_type, provider_slug, inline_config,
         provider, client_key, client_config_version, state, version, refresh_due_at, consecutive_failures, unanswered,
         next_try_at, scopes, missing_scopes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, CASE WHEN $7::jsonb IS NULL THEN ${never} ELSE now() END,
         0, 0, now(), '{}', '{}')
       ON CONFLICT (credential_id) DO UPDATE SET grant_type = excluded.grant_type, provider_slug = excluded.provider_slug,
         inline_config = excluded.inline_config, provider = coalesce(excluded.provider, oauth_grant.provider),
         client_key = coalesce(excluded.client_key, oauth_grant.client_key),
         state = CASE WHEN excluded.provider IS NULL THEN oauth_grant.state ELSE 'active' END,
         reason = CASE WHEN excluded.provider IS NULL THEN oauth_grant.reason END,
         refresh_due_at = CASE WHEN excluded.provider IS NULL THEN oauth_grant.refresh_due_at ELSE now() END,
         next_try_at = now()`,
        [
          row.credentialId,
          scope.organizationId,
          scope.projectId,
          row.grantType,
          row.slug,
          row.inline,
          ready?.provider ?? null,
          ready?.clientKey ?? null,
          ready?.clientConfigVersion ?? 0,
          ready ? 'active' : 'pending',
        ],
      );
      // Client credentials need no consent, so the grant is usable at once.
      if (ready) {
        const status = "UPDATE vault.credential SET status = 'active', reason = NULL WHERE id = $1";
        await manager.query(status, [row.credentialId]);
      }
    });
  }

  /**
   * Puts new tokens in place if the attempt still is the grant's own. Otherwise a reconnect or a process that took over
   * has moved on, and these tokens only remain in the journal.
   */
  async promote(grant: OauthGrant, attemptId: string, { sealed, times, scopes }: NewTokens): Promise<boolean> {
    return this.db.transaction(async (manager) => {
      const promoted = await changed(
        manager,
        `UPDATE vault.oauth_grant g SET version = version + 1, state = 'active', reason = NULL, ${newTokens},
           client_config_version = (SELECT generation FROM vault.credential c WHERE c.id = g.credential_id),
           scopes = coalesce($10, scopes)
          FROM vault.refresh_attempt a
         WHERE g.credential_id = $1 AND g.version = $11 AND g.attempt_id = $2 AND a.id = $2 RETURNING g.credential_id`,
        [...tokenParameters(grant.credential_id, attemptId, sealed, times), scopes, grant.version],
      );
      if (!promoted) return false;
      await finish(manager, attemptId, 'ok');
      await transition(manager, grant, 'active', null);
      return true;
    });
  }

  /**
   * Puts the tokens of a person's consent in place, whatever refresh is in flight.
   * @param replaces receives the previous grant before it is replaced
   * @returns the version to which the tokens are sealed; null when the credential was deleted or disconnected since the
   *   code was answered
   */
  async connect(
    credentialId: string,
    attemptId: string,
    consent: Consent,
    tokens: Omit<NewTokens, 'sealed'>,
    seal: (version: number) => Promise<SealedTokens>,
    replaces: (manager: EntityManager, before: OauthGrant) => Promise<void>,
  ): Promise<number | null> {
    return this.db.transaction(async (manager) => {
      const before = await manager.findOne(OauthGrant, {
        where: { credential_id: credentialId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!before || !(await isOpen(manager, attemptId))) return null;
      await replaces(manager, before);
      await changed(
        manager,
        `UPDATE vault.oauth_grant g SET version = version + 1, state = 'active', reason = NULL, ${newTokens},
           scopes = $10, provider = $11, client_key = $12, client_config_version = $13, account = $14,
           missing_scopes = $15, refused_version = NULL, refused_at = NULL
          FROM vault.refresh_attempt a WHERE g.credential_id = $1 AND a.id = $2 RETURNING g.credential_id`,
        [
          ...tokenParameters(credentialId, attemptId, await seal(before.version + 1), tokens.times),
          tokens.scopes ?? [],
          consent.provider,
          consent.clientKey,
          consent.clientConfigVersion,
          consent.account,
          consent.missingScopes,
        ],
      );
      await finish(manager, attemptId, 'ok');
      await transition(manager, before, 'active', null);
      return before.version + 1;
    });
  }

  /** Ends an attempt without tokens. The grant keeps its own. @returns false when the grant has moved on */
  async fail(grant: OauthGrant, attemptId: string, failure: Failure, errorClass: string): Promise<boolean> {
    return this.db.transaction(async (manager) => {
      await finish(manager, attemptId, errorClass);
      const failed = await changed(
        manager,
        `UPDATE vault.oauth_grant SET state = $3, reason = $4, attempt_id = NULL, attempt_heartbeat = NULL,
           consecutive_failures = consecutive_failures + 1, unanswered = $6, client_config_version = $8, swept_at = NULL,
           next_try_at = now() + make_interval(secs => $5)
          WHERE credential_id = $1 AND attempt_id = $2 AND version = $7 RETURNING credential_id`,
        [
          grant.credential_id,
          attemptId,
          failure.state,
          failure.reason,
          failure.retryIn,
          failure.unanswered,
          grant.version,
          failure.clientConfigVersion,
        ],
      );
      if (!failed) return false;
      await transition(manager, grant, failure.state, failure.reason);
      if (failure.pausesClient) await pauseClient(manager, grant, failure.clientConfigVersion, failure.retryIn);
      return true;
    });
  }

  /** Ends a grant that no request can help: it has no refresh token, or its values do not open. */
  async end(grant: OauthGrant, state: GrantState, reason: string): Promise<void> {
    await this.db.transaction(async (manager) => {
      const ended = await changed(
        manager,
        `UPDATE vault.oauth_grant SET state = $2, reason = $3 WHERE credential_id = $1 AND version = $4 AND state <> $2
          RETURNING credential_id`,
        [grant.credential_id, state, reason, grant.version],
      );
      if (ended) await transition(manager, grant, state, reason);
    });
  }

  /** An equal client was refused a moment ago, so this grant waits without a request. */
  async pause(grant: OauthGrant, generation: number, seconds: number): Promise<void> {
    await this.db.transaction(async (manager) => {
      const paused = await changed(
        manager,
        `UPDATE vault.oauth_grant SET state = 'degraded', reason = 'client_rejected', client_config_version = $2,
           swept_at = NULL, next_try_at = now() + make_interval(secs => $3)
          WHERE credential_id = $1 AND version = $4 AND attempt_id IS NOT DISTINCT FROM $5 AND state = $6
         RETURNING credential_id`,
        [grant.credential_id, generation, seconds, grant.version, grant.attempt_id, grant.state],
      );
      if (paused) await transition(manager, grant, 'degraded', 'client_rejected');
    });
  }

  /**
   * Notes that the provider refuses the access token of this version, before it has expired.
   * @returns whether it is to be replaced: not if the grant has moved on, or if it has just replaced a refused one
   */
  async noteRefused({ credential_id: id, version }: OauthGrant, leastSeconds: number): Promise<boolean> {
    const [, count] = await this.db.query<[unknown[], number]>(
      `UPDATE vault.oauth_grant SET refused_at = CASE WHEN refused_version = $2 THEN refused_at ELSE now() END,
         refused_version = $2
        WHERE credential_id = $1 AND version = $2
          AND (refused_version = $2 OR refused_at IS NULL OR refused_at < now() - make_interval(secs => $3))`,
      [id, version, leastSeconds],
    );
    return count > 0;
  }

  /** Takes grants that are due, or whose attempt was abandoned, for one round of the sweeper. */
  async takeDue(limit: number): Promise<{ credential_id: string; version: number }[]> {
    const [rows] = await this.db.query<[{ credential_id: string; version: number }[], number]>(
      `UPDATE vault.oauth_grant SET swept_at = now() WHERE credential_id IN (
         SELECT credential_id FROM vault.oauth_grant
          WHERE state IN ('active', 'degraded') AND refresh_due_at <= now() AND next_try_at <= now()
            AND (swept_at IS NULL OR swept_at < now() - interval '50 s') AND ${notHeldSql('project_id')}
          ORDER BY refresh_due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING credential_id, version`,
      [limit],
    );
    return rows;
  }

  private async timed(where: string, parameters: object, id: string): Promise<TimedGrant | null> {
    const { entities, raw } = await this.db
      .createQueryBuilder(OauthGrant, 'g')
      .addSelect('extract(epoch FROM g.at_expires_at - now())', 'valid_for')
      .addSelect('g.refresh_due_at <= now()', 'due')
      .addSelect("extract(epoch FROM greatest(g.next_try_at - now(), interval '0'))", 'wait_seconds')
      .addSelect(`coalesce(extract(epoch FROM greatest(${floorEnd} - now(), interval '0')), 0)`, 'floor_seconds')
      .setParameter('floor', this.floorSeconds)
      .where(where, parameters)
      .andWhere('g.credential_id = :id', { id })
      .getRawAndEntities<{ valid_for: string | null; due: boolean; wait_seconds: string; floor_seconds: string }>();
    const [grant, row] = [entities[0], raw[0]];
    if (!grant || !row) return null;
    const validFor = row.valid_for === null ? null : Number(row.valid_for);
    const floorSeconds = Number(row.floor_seconds);
    return {
      grant,
      validFor,
      due: row.due,
      waitSeconds: Math.max(Number(row.wait_seconds), floorSeconds),
      floorSeconds,
    };
  }
}

const newTokens = `
  kid = $3, wrapped_dek = $4, access_token = $5, refresh_token = $6, answer_fields = $9::jsonb,
  obtained_at = a.sent_at,
  at_expires_at = a.sent_at + make_interval(secs => $7),
  refresh_due_at = CASE WHEN $8::double precision IS NULL THEN ${never} ELSE a.sent_at + make_interval(secs => $8) END,
  attempt_id = NULL, attempt_heartbeat = NULL, consecutive_failures = 0, unanswered = 0, next_try_at = now(), swept_at = NULL`;

function tokenParameters(credentialId: string, attemptId: string, sealed: SealedTokens, times: TokenTimes): unknown[] {
  const { kid, wrappedDek, accessToken, refreshToken, answerFields } = sealed;
  const { expiresIn, dueIn } = times;
  return [credentialId, attemptId, kid, wrappedDek, accessToken, refreshToken, expiresIn, dueIn, answerFields];
}

/** Whether the attempt's tokens have not been given up. */
async function isOpen(manager: EntityManager, attemptId: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM vault.refresh_attempt WHERE id = $1 AND finished_at IS NULL FOR UPDATE';
  return (await manager.query<unknown[]>(sql, [attemptId])).length > 0;
}

async function changed(manager: EntityManager, sql: string, parameters: unknown[]): Promise<boolean> {
  const [rows] = await manager.query<[unknown[], number]>(sql, parameters);
  return rows.length > 0;
}
