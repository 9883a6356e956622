import { Liveness } from '#libs/database';
import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { AppRow } from '../entities/app.entity.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { type ConnectionGap, HeldConnection } from './held-connection.entity.js';

@Injectable()
export class HeldConnectionRepository {
  readonly work: Work<HeldConnection>;

  constructor(
    @InjectRepository(HeldConnection) private readonly rows: Repository<HeldConnection>,
    liveness: Liveness,
    @Inject(SETTINGS) { CONNECTION_LEASE_MS: leaseMs }: GatewaySettings,
  ) {
    const table = { table: 'gateway.held_connection', key: 'app_id', endless: true } as const;
    this.work = new Work(rows, { ...table, leaseMs, owner: () => liveness.owner, owners: () => liveness.owners });
  }

  byApp(appId: string): Promise<HeldConnection | null> {
    return this.rows.findOneBy({ app_id: appId });
  }

  /** Holds the App's connection, from the cursor that it has; one that was given up begins again. */
  async start({ id, organization_id, project_id }: AppRow): Promise<void> {
    await this.rows.query(
      `INSERT INTO gateway.held_connection (app_id, organization_id, project_id) VALUES ($1, $2, $3)
       ON CONFLICT (app_id) DO NOTHING`,
      [id, organization_id, project_id],
    );
    await this.rows.query(
      `UPDATE gateway.held_connection SET ${this.work.reopenSql()}, reason = NULL, error_detail = NULL
        WHERE app_id = $1 AND state <> 'running'`,
      [id],
    );
  }

  /** Its holder stops at its next write. @returns false when there was none */
  async stop(appId: string): Promise<boolean> {
    return ((await this.rows.delete({ app_id: appId })).affected ?? 0) > 0;
  }

  /**
   * Stores that the provider answered, and where to go on: the events before the cursor are stored.
   * @returns false when another claim has the connection, or nobody wants it any more
   */
  async advance(
    { app_id, claim }: HeldConnection,
    { cursor, events, gap }: { cursor: string | null; events: number; gap: ConnectionGap | null },
  ): Promise<boolean> {
    const result: unknown = await this.rows.query(
      `UPDATE gateway.held_connection SET cursor = coalesce($3, cursor), events = events + $4::integer,
              connected_at = coalesce(connected_at, now()), answered_at = now(), gap = coalesce($5::jsonb, gap),
              last_event_at = CASE WHEN $4::integer > 0 THEN now() ELSE last_event_at END,
              tries = 1, reason = NULL, error_detail = NULL, blocked_since = NULL
        WHERE app_id = $1 AND claim = $2 AND state = 'running'`,
      [app_id, claim, cursor, events, gap === null ? null : JSON.stringify(gap)],
    );
    return (result as [unknown[], number])[1] > 0;
  }

  /** Gives the connection up until it is due again, or for good. */
  async leave(settlement: Settlement, detail: string | null): Promise<void> {
    await this.rows.query(
      `WITH settled AS (${this.work.settleSql('$1', { error_detail: 'text', connected_at: 'timestamptz' })})
       SELECT FROM settled`,
      [this.work.settled([{ ...settlement, error_detail: detail, connected_at: null }])],
    );
  }
}
