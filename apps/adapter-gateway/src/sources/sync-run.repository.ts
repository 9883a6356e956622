import { newId } from '#libs/contracts';
import { Liveness } from '#libs/database';
import { failureSql, Problem } from '#libs/service-kit';
import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Repository } from 'typeorm';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { SourceRow } from './source.entity.js';
import { type SyncCause, SyncRunRow } from './sync-run.entity.js';

const openStates = ['queued', 'running'] as const;
const askForSync = 'Fix the cause, then synchronise the source: it is not retried automatically.';

const code = 'settled.reason';
/** For a run that continues later. */
const failureMeanwhile = failureSql('s.sync_failure', {
  code,
  error: 'coalesce(settled.error_detail, settled.reason)',
  nextTryAt: 'settled.due_at',
  whatToDo: 'NULL',
});
/** For a run that has ended: the next one is due by the schedule, or not at all. */
const failureAtEnd = failureSql('s.sync_failure', {
  code,
  error: 'settled.error_detail',
  nextTryAt: 's.next_sync_at',
  whatToDo: `CASE WHEN s.next_sync_at IS NULL OR s.state <> 'active' THEN $2 END`,
});

/** Begins runs, and reschedules or fails them. */
@Injectable()
export class SyncRunRepository {
  readonly work: Work<SyncRunRow>;

  constructor(
    private readonly db: DataSource,
    @InjectRepository(SyncRunRow) private readonly rows: Repository<SyncRunRow>,
    liveness: Liveness,
    @Inject(SETTINGS) { SYNC_LEASE_MS: leaseMs }: GatewaySettings,
  ) {
    this.work = new Work(db, {
      table: 'gateway.sync_run',
      leaseMs,
      owner: () => liveness.owner,
      owners: () => liveness.owners,
    });
  }

  /**
   * Begins a run, unless one is open: then another follows, since the open one may have missed the change.
   * @returns the run that is open now
   */
  async begin(source: SourceRow, cause: SyncCause): Promise<SyncRunRow> {
    return this.db.transaction(async (manager) => {
      const run = await insertRun(manager, source, cause);
      if (run) return run;
      await manager.update(SourceRow, { id: source.id }, { next_sync_at: new Date() });
      const open = await manager.findOneBy(SyncRunRow, { source_id: source.id, state: In(openStates) });
      const after = open ?? (await insertRun(manager, source, cause));
      if (!after) throw new Problem(503, 'unavailable', 'Another request has just started a run: try again.');
      return after;
    });
  }

  /** Begins the runs of sources that are due. @returns their ids */
  async beginDue(limit: number): Promise<string[]> {
    return this.db.transaction(async (manager) => {
      const due = (await manager.query(
        `SELECT s.* FROM gateway.source s WHERE s.state = 'active' AND s.next_sync_at <= now()
            AND NOT EXISTS (SELECT 1 FROM gateway.sync_run r
                             WHERE r.source_id = s.id AND r.state IN ('queued', 'running'))
          ORDER BY s.next_sync_at LIMIT $1 FOR UPDATE OF s SKIP LOCKED`,
        [limit],
      )) as SourceRow[];
      const begun: string[] = [];
      for (const source of due) {
        const run = await insertRun(manager, source, 'schedule');
        if (run) begun.push(run.id);
        const nextMs = source.every_seconds === null ? null : Date.now() + source.every_seconds * 1_000;
        const next = { next_sync_at: nextMs === null ? null : new Date(nextMs) };
        await manager.update(SourceRow, { id: source.id }, next as object);
      }
      return begun;
    });
  }

  /** Stores what became of a claimed run. Listed changes that it did not apply stay for the next one. */
  async settle(settlement: Settlement, detail: string | null): Promise<void> {
    const state = settlement.state === 'dead' ? 'failed' : settlement.state;
    await this.rows.query(
      `WITH settled AS (${this.work.settleSql('$1', { error_detail: 'text' })})
       UPDATE gateway.source s SET
         sync_failure = CASE settled.state WHEN 'queued' THEN ${failureMeanwhile} ELSE ${failureAtEnd} END
         FROM settled WHERE s.id = settled.source_id AND settled.reason IS NOT NULL`,
      [this.work.settled([{ ...settlement, state, error_detail: detail }]), askForSync],
    );
  }

  /** Makes runs due that wait because their adapter could not be called. @returns their ids */
  expedite(adapterId: string, codes: string[]): Promise<string[]> {
    return this.dueNow(
      'source_id IN (SELECT s.id FROM gateway.source s JOIN gateway.app a ON a.id = s.app_id WHERE a.adapter_id = $1)',
      [adapterId, codes],
    );
  }

  /** Makes runs of these Apps due that wait for one of these reasons. @returns their ids */
  release(appIds: string[], codes: string[]): Promise<string[]> {
    return this.dueNow('source_id IN (SELECT id FROM gateway.source WHERE app_id = ANY($1))', [appIds, codes]);
  }

  byId(id: string): Promise<SyncRunRow | null> {
    return this.rows.findOneBy({ id });
  }

  /** Newest first. */
  list(sourceId: string, cursor: string | null, limit: number): Promise<SyncRunRow[]> {
    const query = this.rows
      .createQueryBuilder('run')
      .where('run.source_id = :sourceId', { sourceId })
      .orderBy('run.id', 'DESC')
      .limit(limit);
    if (cursor) query.andWhere('run.id < :cursor', { cursor });
    return query.getMany();
  }

  private async dueNow(where: string, parameters: unknown[]): Promise<string[]> {
    const rows = await this.work.expedite(`${where} AND reason = ANY($2)`, parameters, 'id');
    return rows.map(({ id }) => id);
  }
}

/** @param rest of the listing that the run goes on with */
export async function insertRun(
  manager: EntityManager,
  source: Pick<SourceRow, 'id' | 'organization_id' | 'project_id' | 'cursor'>,
  cause: SyncCause,
  rest: Partial<Pick<SyncRunRow, 'listing' | 'full_listing' | 'continues'>> = {},
): Promise<SyncRunRow | null> {
  const row = {
    id: newId('syn'),
    organization_id: source.organization_id,
    project_id: source.project_id,
    source_id: source.id,
    cause,
    state: 'queued',
    phase: 'listing',
    cursor: source.cursor,
    listing: 1,
    full_listing: null,
    continues: null,
    listed: 0,
    ...rest,
    pages: 0,
    added: 0,
    changed: 0,
    removed: 0,
    failed: 0,
    failures: [],
    created_at: new Date(),
  };
  const { raw } = await manager
    .createQueryBuilder()
    .insert()
    .into(SyncRunRow)
    .values(row as object)
    .orIgnore()
    .returning('*')
    .execute();
  return (raw as SyncRunRow[])[0] ?? null;
}
