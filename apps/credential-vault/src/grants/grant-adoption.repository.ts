import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';
import type { SealedTokens } from './grant-sealer.js';
import { type GrantType, OauthGrant } from './grant.entity.js';
import { transition } from './grant-transition.repository.js';

/** Tokens that a person stored as fields of a credential, and what is needed to refresh them. */
export interface Adopted {
  credentialId: string;
  /** The credential's, when its fields were read. */
  generation: number;
  /** Those of its fields that move. */
  fields: string[];
  grantType: GrantType;
  slug: string;
  provider: ProviderConfig;
  clientKey: string;
  /** Their age is unknown, so tokens that can be refreshed are due at once. */
  renewable: boolean;
}

/** Somebody else has moved or replaced them. Nothing is changed then. */
class NoLongerThere extends Error {
  override readonly name = 'NoLongerThere';
}

@Injectable()
export class GrantAdoptionRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * Moves tokens from a credential's fields into its grant, in one transaction. A refresh in flight cannot put its
   * tokens in place any more, since the version has changed.
   * @param replaces receives the previous grant before it is replaced
   * @returns the version to which the tokens are sealed; null when the fields are no longer there
   */
  async adopt(
    adopted: Adopted,
    seal: (version: number) => Promise<SealedTokens>,
    replaces: (manager: EntityManager, before: OauthGrant) => Promise<void>,
  ): Promise<number | null> {
    const { credentialId, grantType, slug, fields } = adopted;
    try {
      return await this.db.transaction(async (manager) => {
        await manager.query(
          `INSERT INTO vault.oauth_grant (credential_id, organization_id, project_id, grant_type, provider_slug, state,
             version, refresh_due_at, client_config_version, consecutive_failures, unanswered, next_try_at, scopes,
             missing_scopes)
           SELECT id, organization_id, project_id, $2, $3, 'pending', 0, 'infinity', 0, 0, 0, now(), '{}', '{}'
             FROM vault.credential WHERE id = $1 ON CONFLICT (credential_id) DO NOTHING`,
          [credentialId, grantType, slug],
        );
        const before = await manager.findOne(OauthGrant, {
          where: { credential_id: credentialId },
          lock: { mode: 'pessimistic_write' },
        });
        const [left] = await manager.query<[unknown[], number]>(
          `DELETE FROM vault.credential_field f USING vault.credential c
            WHERE c.id = $1 AND f.credential_id = c.id AND f.field = ANY($2) AND c.generation = $3 RETURNING f.field`,
          [credentialId, fields, adopted.generation],
        );
        if (!before || left.length !== fields.length) throw new NoLongerThere();
        await replaces(manager, before);
        await place(manager, adopted, await seal(before.version + 1));
        await transition(manager, before, 'active', null);
        return before.version + 1;
      });
    } catch (error) {
      if (error instanceof NoLongerThere) return null;
      throw error;
    }
  }
}

async function place(manager: EntityManager, adopted: Adopted, sealed: SealedTokens): Promise<void> {
  await manager.query(
    `UPDATE vault.oauth_grant SET version = version + 1, state = 'active', reason = NULL, grant_type = $2, provider = $3,
       client_key = $4, client_config_version = $5, kid = $6, wrapped_dek = $7, access_token = $8, refresh_token = $9,
       answer_fields = $10, obtained_at = NULL,
       at_expires_at = CASE WHEN $11 THEN now() - interval '1 s' END,
       refresh_due_at = CASE WHEN $11 THEN now() ELSE 'infinity'::timestamptz END,
       attempt_id = NULL, attempt_heartbeat = NULL, consecutive_failures = 0, unanswered = 0, next_try_at = now(),
       swept_at = NULL, account = NULL, scopes = '{}', missing_scopes = '{}'
      WHERE credential_id = $1`,
    [
      adopted.credentialId,
      adopted.grantType,
      adopted.provider,
      adopted.clientKey,
      adopted.generation,
      sealed.kid,
      sealed.wrappedDek,
      sealed.accessToken,
      sealed.refreshToken,
      sealed.answerFields,
      adopted.renewable,
    ],
  );
}
