import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface HealthStep {
  at: Date;
  polls: number;
  ready: number;
  latency_avg_ms: number | null;
  latency_max_ms: number | null;
  reason: string | null;
}

@Injectable()
export class AdapterHealthRepository {
  constructor(private readonly db: DataSource) {}

  /** @param step a Postgres interval; steps without a poll are left out */
  async over(adapterId: string, from: Date, to: Date, step: string): Promise<HealthStep[]> {
    return (await this.db.query(
      `SELECT date_bin($4::interval, minute, 'epoch'::timestamptz) AS at, sum(polls)::integer AS polls,
              sum(ready)::integer AS ready, sum(latency_sum_ms) / nullif(sum(ready), 0) AS latency_avg_ms,
              nullif(max(latency_max_ms), 0) AS latency_max_ms, (array_agg(reason ORDER BY minute DESC)
                FILTER (WHERE reason IS NOT NULL))[1] AS reason
         FROM gateway.adapter_health WHERE adapter_id = $1 AND minute >= $2 AND minute < $3 GROUP BY 1 ORDER BY 1`,
      [adapterId, from, to, step],
    )) as HealthStep[];
  }
}
