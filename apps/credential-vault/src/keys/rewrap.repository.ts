import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DekOwner } from '../sealing/associated-data.js';
import type { SealedTable } from '../sealing/sealed-tables.js';

/** A data key as it is stored. */
export interface WrappedDek extends DekOwner {
  /** Primary key of its row. */
  key: string;
  kid: string;
  wrappedDek: Buffer;
}

@Injectable()
export class RewrapRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * Rewraps one batch of rows after `cursor` that a key other than `kid` wraps. Readers see the old key or the new one.
   * Locked rows are left for a later pass.
   * @param rewrap null for a key that does not open: its row stays unchanged
   * @returns the last row's key, null at the end of the table; how many were rewrapped, and which do not open
   */
  async batch(
    { name, key, credential }: SealedTable,
    kid: string,
    cursor: string,
    limit: number,
    rewrap: (row: WrappedDek) => Promise<Buffer | null>,
  ): Promise<{ cursor: string | null; rewrapped: number; failed: string[] }> {
    return this.db.transaction(async (manager) => {
      const rows = await manager.query<WrappedDek[]>(
        `SELECT ${key} AS key, organization_id AS "organizationId", ${credential} AS "credentialId", kid,
                wrapped_dek AS "wrappedDek"
           FROM ${name} WHERE kid <> $1 AND ${key} > $2 ORDER BY ${key} LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
        [kid, cursor, limit],
      );
      const wrapped = await Promise.all(rows.map(rewrap));
      const done = rows.flatMap((row, at) => (wrapped[at] ? [{ key: row.key, dek: wrapped[at] }] : []));
      if (done.length > 0) {
        await manager.query(
          `UPDATE ${name} t SET kid = $1, wrapped_dek = n.dek
             FROM unnest($2::text[], $3::bytea[]) AS n (key, dek) WHERE t.${key} = n.key`,
          [kid, done.map((one) => one.key), done.map((one) => one.dek)],
        );
      }
      return {
        cursor: rows.length < limit ? null : (rows.at(-1)?.key ?? null),
        rewrapped: done.length,
        failed: rows.filter((_, at) => !wrapped[at]).map((row) => row.credentialId),
      };
    });
  }

  /** Credentials whose data key was created before a given time, oldest first. */
  async credentialsWithDekBefore(before: Date, after: string, limit: number): Promise<CredentialKey[]> {
    return this.db.query<CredentialKey[]>(
      `SELECT id, organization_id AS "organizationId", project_id AS "projectId" FROM vault.credential
        WHERE dek_made_at < $1 AND id > $2 ORDER BY id LIMIT $3`,
      [before, after, limit],
    );
  }
}

export interface CredentialKey extends ProjectScope {
  id: string;
}
