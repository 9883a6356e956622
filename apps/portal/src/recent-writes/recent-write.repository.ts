import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

@Injectable()
export class RecentWriteRepository {
  constructor(private readonly db: DataSource) {}

  /** By the clock of Postgres, as all processes of the portal have it. */
  async note(asker: string, forMs: number): Promise<void> {
    await this.db.query(
      `INSERT INTO portal.recent_write (asker, until) VALUES ($1, clock_timestamp() + $2 * interval '1 ms')
       ON CONFLICT (asker) DO UPDATE SET until = greatest(recent_write.until, excluded.until)`,
      [asker, forMs],
    );
  }

  async isNoted(asker: string): Promise<boolean> {
    const found: unknown[] = await this.db.query(
      'SELECT FROM portal.recent_write WHERE asker = $1 AND until > clock_timestamp()',
      [asker],
    );
    return found.length > 0;
  }

  /** @returns how many were of nobody any more */
  async deleteOver(limit: number): Promise<number> {
    const [, deleted] = (await this.db.query(
      `DELETE FROM portal.recent_write WHERE until < clock_timestamp() AND asker IN
         (SELECT asker FROM portal.recent_write WHERE until < clock_timestamp() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    )) as [unknown, number];
    return deleted;
  }
}
