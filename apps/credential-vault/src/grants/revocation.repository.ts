import type { ProjectScope } from '#libs/contracts';
import { Work, type WorkRow } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere, LessThan } from 'typeorm';
import { Revocation } from './revocation.entity.js';

export type NewRevocation = Omit<Revocation, keyof WorkRow | 'created_at'>;

const leaseMs = 60_000;

@Injectable()
export class RevocationRepository {
  readonly work: Work<Revocation>;

  constructor(private readonly db: DataSource) {
    this.work = new Work(db, { table: 'vault.revocation', leaseMs, owner: () => null });
  }

  /** @param manager of the transaction that gives the tokens up */
  async insert(manager: EntityManager, row: NewRevocation): Promise<void> {
    await manager.query(
      `INSERT INTO vault.revocation (id, organization_id, project_id, credential_id, provider, kid, wrapped_dek, sealed, cause)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        row.id,
        row.organization_id,
        row.project_id,
        row.credential_id,
        row.provider,
        row.kid,
        row.wrapped_dek,
        row.sealed,
        row.cause,
      ],
    );
  }

  async delete({ id, claim }: Revocation): Promise<void> {
    await this.db.getRepository(Revocation).delete({ id, claim });
  }

  /** Newest first. */
  list({ organizationId, projectId }: ProjectScope, limit: number, cursor?: string): Promise<Revocation[]> {
    const where: FindOptionsWhere<Revocation> = { organization_id: organizationId, project_id: projectId };
    if (cursor !== undefined) where.id = LessThan(cursor);
    return this.db.getRepository(Revocation).find({ where, order: { id: 'DESC' }, take: limit });
  }

  /** Deletes revocations that were given up long ago, since nobody needs their tokens. */
  async purge(days: number): Promise<void> {
    await this.db.query('DELETE FROM vault.revocation WHERE ended_at < now() - make_interval(days => $1)', [days]);
  }
}
