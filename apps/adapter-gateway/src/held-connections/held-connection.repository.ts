import { Liveness, storableJson } from '#libs/database';
import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { AppRow } from '../entities/app.entity.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import {
  type ConnectionGap,
  type ConnectionState,
  type DegradedConnection,
  HeldConnection,
  type StateFields,
  stateOf,
} from './held-connection.entity.js';

/** What an answer of the provider brought. */
interface Advance {
  cursor: string | null;
  events: number;
  gap: ConnectionGap | null;
  degraded: DegradedConnection | null;
}

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

  /** How many are in which state, of all projects. */
  async counts(): Promise<Map<ConnectionState, number>> {
    const alike = (await this.rows.query(
      `SELECT state, min(connected_at) AS connected_at, min(reason) AS reason, min(degraded::text)::jsonb AS degraded,
              count(*)::integer AS count
         FROM gateway.held_connection
        GROUP BY state, connected_at IS NULL, reason IS NULL, degraded IS NULL`,
    )) as (StateFields & { count: number })[];
    const counts = new Map<ConnectionState, number>();
    for (const row of alike) counts.set(stateOf(row), (counts.get(stateOf(row)) ?? 0) + row.count);
    return counts;
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
  async advance({ app_id, claim }: HeldConnection, { cursor, events, gap, degraded }: Advance): Promise<boolean> {
    const result: unknown = await this.rows.query(
      `UPDATE gateway.held_connection SET cursor = coalesce($3, cursor), events = events + $4::integer,
              connected_at = coalesce(connected_at, now()), answered_at = now(), gap = coalesce($5::jsonb, gap),
              degraded = $6::jsonb, last_event_at = CASE WHEN $4::integer > 0 THEN now() ELSE last_event_at END,
              tries = 1, reason = NULL, error_detail = NULL, blocked_since = NULL
        WHERE app_id = $1 AND claim = $2 AND state = 'running'`,
      [app_id, claim, cursor, events, gap && storableJson(gap), degraded && storableJson(degraded)],
    );
    return (result as [unknown[], number])[1] > 0;
  }

  /**
   * Gives the connection up until it is due again, or for good. What fails of it, its next holder finds out: one of an
   * earlier release knows nothing of that, and would leave it as it is.
   */
  async leave(settlement: Settlement, detail: string | null): Promise<void> {
    await this.rows.query(
      `WITH settled AS (${this.work.settleSql('$1', { error_detail: 'text', connected_at: 'timestamptz', degraded: 'jsonb' })})
       SELECT FROM settled`,
      [this.work.settled([{ ...settlement, error_detail: detail, connected_at: null, degraded: null }])],
    );
  }
}
