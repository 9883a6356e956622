import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Revocation } from './revocation.entity.js';

@Injectable()
export class RevocationRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async insert(row: Omit<Revocation, 'attempts' | 'next_try_at' | 'created_at'>): Promise<void> {
    await this.db.query(
      `INSERT INTO vault.revocation (id, organization_id, credential_id, provider, kid, wrapped_dek, sealed,
         credential_stays, attempts, next_try_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, now())`,
      [
        ...[row.id, row.organization_id, row.credential_id, row.provider, row.kid, row.wrapped_dek, row.sealed],
        row.credential_stays,
      ],
    );
  }

  /** Claims one try: the next one is put off by more and more, so that two processes do not make the same one. */
  async claim(id: string): Promise<Revocation | null> {
    const [rows] = await this.db.query<[Revocation[], number]>(
      `UPDATE vault.revocation r SET attempts = attempts + 1,
         next_try_at = now() + make_interval(secs => least(3600, 30 * 2 ^ least(attempts, 10)))
        WHERE id = $1 AND next_try_at <= now()
          AND (credential_stays OR NOT EXISTS (SELECT 1 FROM vault.credential c WHERE c.id = r.credential_id)) RETURNING *`,
      [id],
    );
    return rows[0] ?? null;
  }

  /** @returns ids of those whose time has come; of a credential that still is there its deletion failed */
  async due(limit: number): Promise<string[]> {
    const rows = await this.db.query<{ id: string }[]>(
      `SELECT id FROM vault.revocation r WHERE next_try_at <= now()
          AND (credential_stays OR NOT EXISTS (SELECT 1 FROM vault.credential c WHERE c.id = r.credential_id))
        ORDER BY next_try_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  async delete(id: string): Promise<void> {
    await this.db.getRepository(Revocation).delete({ id });
  }

  /** Rows of deletions that did not happen. */
  async deleteAbandoned(): Promise<void> {
    await this.db.query(
      `DELETE FROM vault.revocation r WHERE NOT credential_stays AND created_at < now() - interval '1 hour'
          AND EXISTS (SELECT 1 FROM vault.credential c WHERE c.id = r.credential_id)`,
    );
  }
}
