import type { ProjectScope } from '#libs/contracts';
import { containing } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, QueryFailedError } from 'typeorm';
import { CredentialBinding } from './credential-binding.entity.js';
import type { SealedFields } from '../sealing/sealer.js';
import { Credential, CredentialField, FieldRotation } from './credential.entity.js';

/** Columns that change independently of the fields. */
export type CredentialChange = Partial<
  Pick<
    Credential,
    'name' | 'declared_fields' | 'adapter_slug' | 'status' | 'reason' | 'account' | 'account_fingerprint'
  > & { last_verified_at: Date }
>;

/** The next generation of a credential's fields. */
export interface FieldsWrite {
  generation: number;
  sealed: SealedFields;
  /** Fields that got a value: what overlapped there before is over. Null: all. */
  written: string[] | null;
  /** The field whose previous value stays valid, and for how long. */
  begun: { field: string; overlapSeconds: number } | null;
}

export interface CredentialWrite {
  columns: CredentialChange;
  write: FieldsWrite | null;
}

/** Another credential of the project has this name. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';
}

/** Something uses the credential, so it is not deleted without force. */
export class StillBound extends Error {
  override readonly name = 'StillBound';
  constructor(readonly bindings: CredentialBinding[]) {
    super(`${bindings.length} bindings`);
  }
}

@Injectable()
export class CredentialRepository {
  constructor(private readonly db: DataSource) {}

  /** @throws NameTaken */
  async insert(row: Partial<Credential> & Pick<Credential, 'id' | 'generation'>, sealed: SealedFields): Promise<void> {
    await this.unlessNameTaken(() =>
      this.db.transaction(async (manager) => {
        await manager.insert(Credential, row);
        await manager.insert(CredentialField, fieldRows(row.id, row.generation, sealed));
      }),
    );
  }

  /** Reads the row and its fields in one statement, so that they are of one generation. */
  async find(scope: ProjectScope, id: string): Promise<Credential | null> {
    return this.rows(this.db.manager, scope).andWhere('c.id = :id', { id }).getOne();
  }

  async findAll(scope: ProjectScope, ids: string[]): Promise<Credential[]> {
    return this.rows(this.db.manager, scope).andWhere('c.id = ANY(:ids)', { ids }).getMany();
  }

  /** Newest first. */
  async list(scope: ProjectScope, limit: number, cursor?: string, search?: string): Promise<Credential[]> {
    const query = this.rows(this.db.manager, scope).orderBy('c.id', 'DESC').take(limit);
    if (cursor !== undefined) query.andWhere('c.id < :cursor', { cursor });
    if (search !== undefined) query.andWhere('c.name ILIKE :part', { part: containing(search) });
    return query.getMany();
  }

  /**
   * Writes what `change` returns while the row is locked. Fields carry the generation to which they are sealed.
   * @param change is also given the bindings by which the credential is used
   * @returns false when there is no such credential
   * @throws NameTaken
   */
  async update(
    scope: ProjectScope,
    id: string,
    change: (row: Credential, bindings: () => Promise<CredentialBinding[]>) => Promise<CredentialWrite>,
  ): Promise<boolean> {
    return this.unlessNameTaken(() =>
      this.db.transaction(async (manager) => {
        const locked = await this.locked(manager, scope, id);
        if (!locked) return false;
        const bindings = () => manager.findBy(CredentialBinding, { credential_id: id });
        const { columns, write } = await change(locked, bindings);
        const keys = write
          ? {
              generation: write.generation,
              kid: write.sealed.kid,
              wrapped_dek: write.sealed.wrappedDek,
              dek_made_at: () => 'now()',
            }
          : {};
        await manager.update(Credential, { id }, { ...columns, ...keys });
        if (write) {
          await manager.delete(CredentialField, { credential_id: id });
          await manager.insert(CredentialField, fieldRows(id, write.generation, write.sealed));
          await this.noteRotations(manager, id, write);
        }
        return true;
      }),
    );
  }

  /** Only if no field has been written since `generation` was read. */
  async note(id: string, generation: number, change: CredentialChange): Promise<void> {
    await this.db.manager.update(Credential, { id, generation }, change);
  }

  /**
   * @param force also deletes a bound credential, with its bindings
   * @param leaving disposes of the tokens that it holds. It locks their grant, which must be locked before the
   *   credential: whoever puts tokens in place locks in that order too
   * @returns the names of its fields; null when there is no such credential
   * @throws StillBound
   */
  async delete(
    scope: ProjectScope,
    id: string,
    force: boolean,
    leaving: (manager: EntityManager) => Promise<void>,
  ): Promise<string[] | null> {
    return this.db.transaction(async (manager) => {
      await leaving(manager);
      // The lock blocks new bindings, whose foreign key takes a share lock on the row.
      const row = await this.locked(manager, scope, id);
      if (!row) return null;
      const bindings = await manager.findBy(CredentialBinding, { credential_id: id });
      if (bindings.length > 0 && !force) throw new StillBound(bindings);
      await manager.delete(CredentialBinding, { credential_id: id });
      await manager.delete(Credential, { id });
      return row.fields.map(({ field }) => field);
    });
  }

  private async noteRotations(manager: EntityManager, id: string, { written, begun }: FieldsWrite): Promise<void> {
    await manager.delete(FieldRotation, { credential_id: id, ...(written === null ? {} : { field: In(written) }) });
    if (!begun) return;
    await manager.query(
      `INSERT INTO vault.field_rotation (credential_id, field, ends_at) VALUES ($1, $2, now() + $3 * interval '1 second')`,
      [id, begun.field, begun.overlapSeconds],
    );
  }

  /**
   * Locked first, read after that: a statement that waits for the lock reads the row anew, but not the rows that it
   * joins, and old fields do not open under a new generation.
   */
  private async locked(manager: EntityManager, scope: ProjectScope, id: string): Promise<Credential | null> {
    await manager.query('SELECT FROM vault.credential WHERE id = $1 FOR UPDATE', [id]);
    return this.rows(manager, scope).andWhere('c.id = :id', { id }).getOne();
  }

  private rows(manager: EntityManager, scope: ProjectScope) {
    return manager
      .createQueryBuilder(Credential, 'c')
      .leftJoinAndSelect('c.fields', 'f')
      .leftJoinAndSelect('c.rotations', 'r')
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
