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

  /** @returns false when there is no such key; revoking again changes nothing */
  async revoke(scope: KeyScope, id: string): Promise<boolean> {
    const { affected } = await this.db.manager
      .createQueryBuilder()
      .update(ApiKey)
      .set({ revoked_at: () => 'coalesce(revoked_at, now())' })
      .where({ id, organization_id: scope.organizationId, project_id: scope.projectId })
      .execute();
    return (affected ?? 0) > 0;
  }

  async touch(id: string): Promise<void> {
    await this.db.manager.update(ApiKey, { id }, { last_used_at: () => 'now()' });
  }
}
