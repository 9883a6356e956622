import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KekSentinel } from './kek-sentinel.entity.js';

@Injectable()
export class KekSentinelRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Keeps the first sentinel of a kid, and returns the one that is kept. */
  async keepFirst(kid: string, sealed: Buffer): Promise<Buffer> {
    const table = this.db.getRepository(KekSentinel);
    await table.createQueryBuilder().insert().values({ kid, sealed }).orIgnore().execute();
    return (await table.findOneByOrFail({ kid })).sealed;
  }

  /** The keys that wrap at least one credential. */
  async kidsInUse(): Promise<string[]> {
    const rows = await this.db.query<{ kid: string }[]>('SELECT DISTINCT kid FROM vault.credential');
    return rows.map((row) => row.kid);
  }
}
