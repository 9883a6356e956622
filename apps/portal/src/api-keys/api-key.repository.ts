import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKey } from './api-key.entity.js';

export type KeyScope = Pick<Principal, 'organizationId' | 'projectId'>;

@Injectable()
export class ApiKeyRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** The key with this hash that is not revoked. */
  findByHash(hash: Buffer): Promise<ApiKey | null> {
    return this.db.manager
      .createQueryBuilder(ApiKey, 'k')
      .where('k.hash = :hash AND k.revoked_at IS NULL', { hash })
      .getOne();
  }

  async insert(row: Omit<ApiKey, 'created_at' | 'revoked_at' | 'last_used_at'>): Promise<ApiKey> {
    return this.db.manager.save(ApiKey, this.db.manager.create(ApiKey, row), { reload: true });
  }

  /** Newest first, the revoked ones too. */
  list(scope: KeyScope, limit: number, cursor: string | undefined): Promise<ApiKey[]> {
    const query = this.db.manager
      .createQueryBuilder(ApiKey, 'k')
      .where('k.organization_id = :organizationId AND k.project_id = :projectId', {
        organizationId: scope.organizationId,
        projectId: scope.projectId,
      })
      .orderBy('k.id', 'DESC')
      .take(limit);
    if (cursor !== undefined) query.andWhere('k.id < :cursor', { cursor });
    return query.getMany();
  }

  /** A key that is not revoked. */
  findById(scope: Pick<KeyScope, 'organizationId'>, id: string): Promise<ApiKey | null> {
    return this.db.manager
      .createQueryBuilder(ApiKey, 'k')
      .where('k.id = :id AND k.organization_id = :organizationId AND k.revoked_at IS NULL', { ...scope, id })
      .getOne();
  }

  /** Those of these keys that are neither revoked nor expired. */
  async validAmong(ids: string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await this.db.query(
      `SELECT id FROM portal.api_key
        WHERE id = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Revokes a key and all that it made, and these made in turn.
   * @returns false when there is no such key; revoking again changes nothing
   */
  async revoke(scope: KeyScope, id: string): Promise<boolean> {
    const found: unknown[] = await this.db.query(
      `WITH RECURSIVE lineage AS (
         SELECT id FROM portal.api_key WHERE id = $1 AND organization_id = $2 AND project_id = $3
          UNION SELECT k.id FROM portal.api_key k JOIN lineage l ON k.made_by_key_id = l.id WHERE k.organization_id = $2),
       revoked AS (
         UPDATE portal.api_key SET revoked_at = now()
          WHERE id IN (SELECT id FROM lineage) AND revoked_at IS NULL)
       SELECT id FROM lineage`,
      [id, scope.organizationId, scope.projectId],
    );
    return found.length > 0;
  }

  async touch(id: string): Promise<void> {
    await this.db.manager.update(ApiKey, { id }, { last_used_at: () => 'now()' });
  }
}
