import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere, LessThan } from 'typeorm';
import type { CredentialScope } from '../credential-store/credential-scope.js';
import { Revocation } from './revocation.entity.js';

export type NewRevocation = Omit<Revocation, 'attempts' | 'next_try_at' | 'last_error' | 'gave_up_at' | 'created_at'>;

@Injectable()
export class RevocationRepository {
  constructor(private readonly db: DataSource) {}

  /** @param manager of the transaction that gives the tokens up */
  async insert(manager: EntityManager, row: NewRevocation): Promise<void> {
    await manager.query(
      `INSERT INTO vault.revocation (id, organization_id, project_id, credential_id, provider, kid, wrapped_dek, sealed,
         reason, attempts, next_try_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, now())`,
      [
        row.id,
        row.organization_id,
        row.project_id,
        row.credential_id,
        row.provider,
        row.kid,
        row.wrapped_dek,
        row.sealed,
        row.reason,
      ],
    );
  }

  /** Claims one try and reschedules the next with growing delays, so that two processes do not make the same try. */
  async claim(id: string): Promise<Revocation | null> {
    const [rows] = await this.db.query<[Revocation[], number]>(
      `UPDATE vault.revocation SET attempts = attempts + 1,
         next_try_at = now() + make_interval(secs => least(3600, 30 * 2 ^ least(attempts, 10)))
        WHERE id = $1 AND next_try_at <= now() AND gave_up_at IS NULL RETURNING *`,
      [id],
    );
    return rows[0] ?? null;
  }

  /** @returns ids of due revocations */
  async due(limit: number): Promise<string[]> {
    const rows = await this.db.query<{ id: string }[]>(
      `SELECT id FROM vault.revocation WHERE next_try_at <= now() AND gave_up_at IS NULL ORDER BY next_try_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  async failed(id: string, error: string, gaveUp: boolean): Promise<void> {
    const at = gaveUp ? { gave_up_at: new Date() } : {};
    await this.db.getRepository(Revocation).update({ id }, { last_error: error, ...at });
  }

  async delete(id: string): Promise<void> {
    await this.db.getRepository(Revocation).delete({ id });
  }

  /** Newest first. */
  list({ organizationId, projectId }: CredentialScope, limit: number, cursor?: string): Promise<Revocation[]> {
    const where: FindOptionsWhere<Revocation> = { organization_id: organizationId, project_id: projectId };
    if (cursor !== undefined) where.id = LessThan(cursor);
    return this.db.getRepository(Revocation).find({ where, order: { id: 'DESC' }, take: limit });
  }

  /** Deletes revocations that were given up long ago, since nobody needs their tokens. */
  async purge(days: number): Promise<void> {
    await this.db.query('DELETE FROM vault.revocation WHERE gave_up_at < now() - make_interval(days => $1)', [days]);
  }
}
