import type { ScopeColumns } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A replaced value whose time is over. */
export interface EndedRotation extends ScopeColumns {
  credential_id: string;
  field: string;
  ends_at: Date;
}

@Injectable()
export class FieldRotationRepository {
  constructor(private readonly db: DataSource) {}

  due(limit: number): Promise<EndedRotation[]> {
    return this.db.query(
      `SELECT r.credential_id, r.field, r.ends_at, c.organization_id, c.project_id
         FROM vault.field_rotation r JOIN vault.credential c ON c.id = r.credential_id
        WHERE r.ends_at <= now() ORDER BY r.ends_at LIMIT $1`,
      [limit],
    );
  }

  /** For a credential that does not open now. */
  async retryLater({ credential_id: id, field }: EndedRotation, seconds: number): Promise<void> {
    await this.db.query(
      `UPDATE vault.field_rotation SET ends_at = now() + $3 * interval '1 second' WHERE credential_id = $1 AND field = $2`,
      [id, field, seconds],
    );
  }
}
