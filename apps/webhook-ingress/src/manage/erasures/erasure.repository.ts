import { idTimeMs, type ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What the ingress has of events: requests. Their ids, times and outcomes stay. */
@Injectable()
export class ErasureRepository {
  constructor(private readonly db: DataSource) {}

  /** The times in the ids limit the search to their partitions. @returns how many had a request */
  async erase({ organizationId, projectId }: ProjectScope, ids: string[]): Promise<number> {
    const times = ids.map(idTimeMs).filter((time) => !Number.isNaN(time));
    if (times.length === 0) return 0;
    const [row] = (await this.db.query(
      `WITH erased AS (UPDATE ingress.receipt SET body = '', packed_bytes = NULL, headers = '{}', url = '/', remote_address = '',
           reason = 'erased'
         WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3 AND received_at BETWEEN $4 AND $5
           AND reason IS DISTINCT FROM 'erased' RETURNING 1)
       SELECT count(*)::integer AS n FROM erased`,
      [ids, organizationId, projectId, new Date(Math.min(...times) - 60_000), new Date(Math.max(...times) + 60_000)],
    )) as { n: number }[];
    return row?.n ?? 0;
  }
}
