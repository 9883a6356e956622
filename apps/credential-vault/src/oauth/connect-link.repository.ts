import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConnectLink } from './connect-link.entity.js';

export type NewLink = Omit<ConnectLink, 'credential' | 'expires_at' | 'used_at' | 'created_at'>;

@Injectable()
export class ConnectLinkRepository {
  constructor(private readonly db: DataSource) {}

  /** @returns when it expires, by the database's clock */
  async insert(link: NewLink, lifeSeconds: number): Promise<Date> {
    const rows = await this.db.query<{ expires_at: Date }[]>(
      `INSERT INTO vault.connect_link (id, credential_id, organization_id, project_id, token_hash, created_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7)) RETURNING expires_at`,
      [
        link.id,
        link.credential_id,
        link.organization_id,
        link.project_id,
        link.token_hash,
        link.created_by,
        lifeSeconds,
      ],
    );
    return rows[0]?.expires_at ?? new Date();
  }

  /** A link that is still valid. */
  async find(tokenHash: Buffer): Promise<ConnectLink | null> {
    return this.db
      .createQueryBuilder(ConnectLink, 'l')
      .where('l.token_hash = :tokenHash AND l.used_at IS NULL AND l.expires_at > now()', { tokenHash })
      .getOne();
  }

  /** Spends the link. */
  async use(id: string): Promise<boolean> {
    const [rows] = await this.db.query<[unknown[], number]>(
      'UPDATE vault.connect_link SET used_at = now() WHERE id = $1 AND used_at IS NULL AND expires_at > now() RETURNING id',
      [id],
    );
    return rows.length > 0;
  }
}
