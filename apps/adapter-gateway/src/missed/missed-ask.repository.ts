import { leaveSql, type Settlement, Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { MissedAsk } from './missed-ask.entity.js';

/** One answer of an adapter, and storing what is in it. */
const leaseMs = 60_000;

export interface Window {
  /** Null: every App whose provider can be asked. */
  appId: string | null;
  since: Date;
  until: Date;
}

@Injectable()
export class MissedAskRepository {
  readonly work: Work<MissedAsk>;

  constructor(@InjectRepository(MissedAsk) private readonly rows: Repository<MissedAsk>) {
    this.work = new Work(rows, { table: 'gateway.missed_ask', key: 'app_id', leaseMs, owner: () => null });
  }

  /**
   * Notes that Apps have missed something. One that is being asked is asked anew, for the whole time: the claim that
   * works on it loses it.
   * @param afterMs when the providers are asked @returns the Apps
   */
  async note({ appId, since, until }: Window, afterMs: number, maxAgeMs: number): Promise<string[]> {
    const open = this.work.isOpenSql('m');
    const rows = (await this.rows.query(
      `INSERT INTO gateway.missed_ask AS m (app_id, organization_id, project_id, since, until, due_at)
       SELECT app.id, app.organization_id, app.project_id,
              greatest($1::timestamptz, now() - $5::float8 * interval '1 millisecond'), $2,
              now() + $4::float8 * interval '1 millisecond'
         FROM gateway.app JOIN gateway.adapter ON adapter.id = app.adapter_id
        WHERE app.state IN ('active', 'paused') AND app.capabilities ? 'receive' AND NOT adapter.disabled
          AND adapter.manifest #> '{webhook,missed_since}' = 'true'::jsonb AND ($3::text IS NULL OR app.id = $3)
        ORDER BY app.id
       ON CONFLICT (app_id) DO UPDATE SET state = 'queued', tries = 0, ${leaveSql}, blocked_since = NULL, ended_at = NULL, due_at = excluded.due_at, claim = m.claim + 1,
         since = CASE WHEN ${open} THEN least(m.since, excluded.since) ELSE excluded.since END,
         until = CASE WHEN ${open} THEN greatest(m.until, excluded.until) ELSE excluded.until END,
         redeliveries = CASE WHEN ${open} THEN m.redeliveries ELSE 0 END,
         stored = CASE WHEN ${open} THEN m.stored ELSE 0 END,
         cursor = NULL, pages = 0, reason = NULL, detail = NULL
       RETURNING app_id`,
      [since, until, appId, afterMs, maxAgeMs],
    )) as { app_id: string }[];
    return rows.map(({ app_id: id }) => id);
  }

  /** A page is stored: what follows begins after it. @returns whether the claim still holds */
  async advance(
    { app_id: id, claim }: MissedAsk,
    cursor: string | null,
    asked: number,
    stored: number,
  ): Promise<boolean> {
    const { affected } = await this.rows
      .createQueryBuilder()
      .update()
      .set({
        cursor,
        pages: () => 'pages + 1',
        redeliveries: () => `redeliveries + ${Number(asked)}`,
        stored: () => `stored + ${Number(stored)}`,
      })
      .where('app_id = :id AND claim = :claim', { id, claim })
      .execute();
    return affected === 1;
  }

  async settle(settlement: Settlement, detail: string | null): Promise<void> {
    await this.rows.query(this.work.settleSql('$1', { detail: 'text' }), [
      this.work.settled([{ ...settlement, detail }]),
    ]);
  }

  /** Makes those due that wait for one of these reasons. */
  async release(appIds: string[], codes: readonly string[]): Promise<void> {
    await this.work.expedite('app_id = ANY($1) AND reason = ANY($2)', [appIds, codes]);
  }

  byApp(appId: string): Promise<MissedAsk | null> {
    return this.rows.findOneBy({ app_id: appId });
  }
}
