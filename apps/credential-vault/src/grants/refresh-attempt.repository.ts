import { newId, type ProjectScope } from '#libs/contracts';
import { notHeldSql } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { SealedValue } from './grant-sealer.js';
import type { OauthGrant } from './grant.entity.js';
import { RefreshAttempt } from './refresh-attempt.entity.js';

export interface StrandedAnswer extends ProjectScope {
  credentialId: string;
  attemptId: string;
}

@Injectable()
export class RefreshAttemptRepository {
  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /**
   * Records the intent: one statement claims the grant for one token request and inserts the request's row. It is
   * committed before the request is sent. An attempt that is taken over counts as unanswered. No request is sent before
   * the grant's wait is over, unless its client was never used, nor soon after the tokens in place were obtained.
   * @param generation the credential's, whose client is to be used
   * @returns null when another process works on it, or the grant has moved on
   */
  async begin(grant: OauthGrant, generation: number): Promise<string | null> {
    const { REFRESH_TAKEOVER_MS: takeoverMs, REFRESH_MIN_INTERVAL_SECONDS: floorSeconds } = this.settings;
    const id = newId('rfa');
    const rows = await this.db.query<{ id: string }[]>(
      `WITH taken AS (
         UPDATE vault.oauth_grant SET attempt_id = $1, attempt_heartbeat = now(),
            unanswered = unanswered + CASE WHEN attempt_id IS NULL THEN 0 ELSE 1 END
          WHERE credential_id = $2 AND version = $3 AND state IN ('active', 'degraded')
            AND attempt_id IS NOT DISTINCT FROM $5 AND consecutive_failures = $6
            AND (next_try_at <= now() OR client_config_version <> $7)
            AND (obtained_at IS NULL OR obtained_at <= now() - make_interval(secs => $8))
            AND (attempt_id IS NULL OR attempt_heartbeat < now() - make_interval(secs => $4))
            AND ${notHeldSql('oauth_grant.project_id')}
         RETURNING credential_id, organization_id, version)
       INSERT INTO vault.refresh_attempt (id, credential_id, organization_id, base_version)
       SELECT $1, credential_id, organization_id, version FROM taken RETURNING id`,
      [
        id,
        grant.credential_id,
        grant.version,
        takeoverMs / 1_000,
        grant.attempt_id,
        grant.consecutive_failures,
        generation,
        floorSeconds,
      ],
    );
    return rows[0]?.id ?? null;
  }

  /** The row of a code exchange. It claims nothing, since a reconnect wins over every refresh. */
  async beginConnect({ credential_id, organization_id, provider }: OauthFlow): Promise<string> {
    const id = newId('rfa');
    const row = { id, credential_id, organization_id, provider, base_version: -1 };
    await this.db.getRepository(RefreshAttempt).insert(row);
    return id;
  }

  async beat(grant: OauthGrant, attemptId: string): Promise<void> {
    await this.db.query(
      'UPDATE vault.oauth_grant SET attempt_heartbeat = now() WHERE credential_id = $1 AND attempt_id = $2',
      [grant.credential_id, attemptId],
    );
  }

  /** Stores the raw answer, sealed, before anything reads it. */
  async keepAnswer(attemptId: string, status: number, { kid, wrappedDek, value }: SealedValue): Promise<void> {
    await this.db.query(
      'UPDATE vault.refresh_attempt SET kid = $2, wrapped_dek = $3, response_ct = $4, status = $5 WHERE id = $1',
      [attemptId, kid, wrappedDek, value, status],
    );
  }

  async fail(attemptId: string, errorClass: string): Promise<void> {
    await this.db
      .getRepository(RefreshAttempt)
      .update({ id: attemptId }, { error_class: errorClass, finished_at: new Date() });
  }

  find(id: string): Promise<RefreshAttempt | null> {
    return this.db.getRepository(RefreshAttempt).findOneBy({ id });
  }

  /**
   * A stored answer to a request for the grant's current version that was never put in place.
   * @param but an attempt to exclude
   */
  async unpromoted(grant: OauthGrant, but = ''): Promise<RefreshAttempt | null> {
    return this.db
      .createQueryBuilder(RefreshAttempt, 'a')
      .where('a.credential_id = :id AND a.base_version = :version', { id: grant.credential_id, version: grant.version })
      .andWhere("a.response_ct IS NOT NULL AND (a.error_class IS NULL OR a.error_class = 'malformed')")
      .andWhere('a.id <> :but', { but })
      .orderBy('a.sent_at', 'DESC')
      .getOne();
  }

  /**
   * Requests in flight, and answers that are not in place. While they are locked, a new answer waits to be stored.
   * @param only restricts it to one of them
   */
  async lockOpen(manager: EntityManager, credentialId: string, only?: string): Promise<RefreshAttempt[]> {
    const query = manager
      .createQueryBuilder(RefreshAttempt, 'a')
      .where('a.credential_id = :credentialId', { credentialId })
      .andWhere("(a.finished_at IS NULL OR a.error_class = 'malformed')");
    if (only !== undefined) query.andWhere('a.id = :only', { only });
    return query.orderBy('a.id').setLock('pessimistic_write').getMany();
  }

  /** Stored answers whose process died before it dealt with them, of grants without tokens in use. */
  async stranded(olderThanMs: number, limit: number): Promise<StrandedAnswer[]> {
    return this.db.query<StrandedAnswer[]>(
      `SELECT a.id AS "attemptId", g.organization_id AS "organizationId", g.project_id AS "projectId",
              g.credential_id AS "credentialId"
         FROM vault.refresh_attempt a JOIN vault.oauth_grant g ON g.credential_id = a.credential_id
        WHERE a.response_ct IS NOT NULL AND a.finished_at IS NULL AND a.status BETWEEN 200 AND 299
          AND a.sent_at < now() - make_interval(secs => $1) AND g.access_token IS NULL
          AND NOT EXISTS (SELECT 1 FROM vault.oauth_flow f WHERE f.unconfirmed_attempt = a.id) LIMIT $2`,
      [olderThanMs / 1_000, limit],
    );
  }

  /** Makes another attempt the grant's own, so that its stored answer can be put in place. */
  async adopt(grant: OauthGrant, attemptId: string): Promise<boolean> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `UPDATE vault.oauth_grant SET attempt_id = $2, attempt_heartbeat = now()
        WHERE credential_id = $1 AND version = $3 AND attempt_id IS NOT DISTINCT FROM $4 RETURNING credential_id`,
      [grant.credential_id, attemptId, grant.version, grant.attempt_id],
    );
    return rows.length > 0;
  }

  /** @returns how many were deleted */
  async purge(days: number): Promise<number> {
    const [, count] = await this.db.query<[unknown[], number]>(
      `DELETE FROM vault.refresh_attempt WHERE id IN (
         SELECT id FROM vault.refresh_attempt WHERE sent_at < now() - make_interval(days => $1) LIMIT 1000)`,
      [days],
    );
    return count;
  }
}
