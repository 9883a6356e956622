import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sealedTables } from './sealed-tables.js';
import { KekSentinel } from './kek-sentinel.entity.js';

@Injectable()
export class KekSentinelRepository {
  constructor(private readonly db: DataSource) {}

  /** Stores the first sentinel of a kid. @returns the stored one */
  async keepFirst(kid: string, sealed: Buffer): Promise<Buffer> {
    const table = this.db.getRepository(KekSentinel);
    await table.createQueryBuilder().insert().values({ kid, sealed }).orIgnore().execute();
    return (await table.findOneByOrFail({ kid })).sealed;
  }

  /** How many data keys each KEK wraps, in all tables. @param organizationId null: of all organizations */
  async countByKid(organizationId: string | null = null): Promise<Map<string, number>> {
    const each = sealedTables.map(
      ({ name }) =>
        `SELECT kid, count(*) AS deks FROM ${name}
          WHERE kid IS NOT NULL AND ($1::text IS NULL OR organization_id = $1) GROUP BY kid`,
    );
    const rows = await this.db.query<{ kid: string; deks: string }[]>(
      `SELECT kid, sum(deks) AS deks FROM (${each.join(' UNION ALL ')}) AS wrapped GROUP BY kid ORDER BY kid`,
      [organizationId],
    );
    return new Map(rows.map(({ kid, deks }) => [kid, Number(deks)]));
  }
}
