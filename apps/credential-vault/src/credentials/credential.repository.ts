import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import type { SealedFields } from '../sealing/sealer.js';
import { CredentialField } from './credential-field.entity.js';
import { Credential, type CredentialStatus } from './credential.entity.js';

export type CredentialScope = Pick<Principal, 'organizationId' | 'projectId'>;

/** Another credential of the project has the name. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';
}

@Injectable()
export class CredentialRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** @throws NameTaken */
  async insert(row: Omit<Credential, 'fields' | 'created_at' | 'updated_at'>, sealed: SealedFields): Promise<void> {
    await this.unlessNameTaken(() =>
      this.db.transaction(async (manager) => {
        await manager.insert(Credential, row);
        await manager.insert(CredentialField, fieldRows(row.id, row.generation, sealed));
      }),
    );
  }

  /** One row with its fields in one statement, so that they are of one generation. */
  async find(scope: CredentialScope, id: string): Promise<Credential | null> {
    return this.rows(this.db.manager, scope).andWhere('c.id = :id', { id }).getOne();
  }

  async findMany(scope: CredentialScope, ids: string[]): Promise<Credential[]> {
    return this.rows(this.db.manager, scope).andWhere('c.id = ANY(:ids)', { ids }).getMany();
  }

  /** Newest first. */
  async list(scope: CredentialScope, limit: number, cursor: string | undefined): Promise<Credential[]> {
    const query = this.rows(this.db.manager, scope).orderBy('c.id', 'DESC').take(limit);
    if (cursor !== undefined) query.andWhere('c.id < :cursor', { cursor });
    return query.getMany();
  }

  /**
   * Writes what `change` returns while the row is locked; null writes nothing.
   * @returns false when there is no such credential
   * @throws NameTaken
   */
  async update(
    scope: CredentialScope,
    id: string,
    change: (row: Credential) => Promise<{ name: string; generation: number; sealed: SealedFields | null }>,
  ): Promise<boolean> {
    return this.unlessNameTaken(() =>
      this.db.transaction(async (manager) => {
        const locked = await this.rows(manager, scope)
          .andWhere('c.id = :id', { id })
          .setLock('pessimistic_write', undefined, ['c'])
          .getOne();
        if (!locked) return false;
        const { name, generation, sealed } = await change(locked);
        const keys = sealed ? { kid: sealed.kid, wrapped_dek: sealed.wrappedDek, status: 'active' as const } : {};
        await manager.update(Credential, { id }, { name, generation, ...keys });
        if (sealed) {
          await manager.delete(CredentialField, { credential_id: id });
          await manager.insert(CredentialField, fieldRows(id, generation, sealed));
        }
        return true;
      }),
    );
  }

  async setStatus(id: string, generation: number, status: CredentialStatus): Promise<void> {
    await this.db.manager.update(Credential, { id, generation }, { status });
  }

  async delete(scope: CredentialScope, id: string): Promise<boolean> {
    const key = { id, organization_id: scope.organizationId, project_id: scope.projectId };
    return ((await this.db.manager.delete(Credential, key)).affected ?? 0) > 0;
  }

  private rows(manager: EntityManager, scope: CredentialScope) {
    return manager
      .createQueryBuilder(Credential, 'c')
      .leftJoinAndSelect('c.fields', 'f')
      .where('c.organization_id = :organizationId AND c.project_id = :projectId', {
        organizationId: scope.organizationId,
        projectId: scope.projectId,
      });
  }

  private async unlessNameTaken<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      const constraint =
        error instanceof QueryFailedError ? (error.driverError as { constraint?: string }).constraint : '';
      throw constraint === 'credential_project_name_key' ? new NameTaken() : error;
    }
  }
}

function fieldRows(credentialId: string, generation: number, sealed: SealedFields) {
  return [...sealed.fields].map(([field, bytes]) => ({
    credential_id: credentialId,
    field,
    sealed: bytes,
    generation,
  }));
}
