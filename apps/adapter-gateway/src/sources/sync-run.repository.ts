import { newId } from '#libs/contracts';
import { failureSql, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Repository } from 'typeorm';
import { SourceRow } from './source.entity.js';
import { type SyncCause, SyncRunRow } from './sync-run.entity.js';

const openStates = ['queued', 'running'] as const;
const askForSync = 'Fix the cause, then synchronise the source: it is not retried automatically.';

/** For a run that continues later. */
const failureMeanwhile = failureSql('s.sync_failure', {
  code: '$5',
  error: 'coalesce($6, $5)',
  nextTryAt: 'waits.lease_until',
  whatToDo: 'NULL',
});
/** For a run that has ended: the next one is due by the schedule, or not at all. */
const failureAtEnd = failureSql('s.sync_failure', {
  code: '$3',
  error: '$4',
  nextTryAt: 's.next_sync_at',
  whatToDo: `CASE WHEN s.next_sync_at IS NULL OR s.state <> 'active' THEN $5 END`,
});

/** Begins runs, leases them, and reschedules or fails them. */
@Injectable()
export class SyncRunRepository {
  constructor(
    private readonly db: DataSource,
    @InjectRepository(SyncRunRow) private readonly rows: Repository<SyncRunRow>,
  ) {}

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

  /** Takes the lease of an open run that nobody holds. */
  async claim(id: string, leaseMs: number): Promise<SyncRunRow | null> {
    const [rows] = (await this.rows.query(
      `UPDATE gateway.sync_run SET state = 'running', fence = fence + 1,
         lease_until = now() + make_interval(secs => $2)
        WHERE id = $1 AND state IN ('queued', 'running') AND (lease_until IS NULL OR lease_until <= now())
        RETURNING *`,
      [id, leaseMs / 1_000],
    )) as [SyncRunRow[], number];
    return rows[0] ?? null;
  }

  /** Gives the lease back; the run continues after `waitMs`. */
  async reschedule(
    run: SyncRunRow,
    waitMs: number,
    why: { attempts: number; error: string | null; detail: string | null },
  ): Promise<void> {
    await this.rows.query(
      `WITH waits AS (UPDATE gateway.sync_run SET state = 'queued', lease_until = now() + make_interval(secs => $3),
         attempts = $4, error = $5, error_detail = $6 WHERE id = $1 AND fence = $2 AND state = 'running'
         RETURNING source_id, lease_until)
       UPDATE gateway.source s SET sync_failure = ${failureMeanwhile}
         FROM waits WHERE s.id = waits.source_id AND $5::text IS NOT NULL`,
      [run.id, run.fence, waitMs / 1_000, why.attempts, why.error, why.detail],
    );
  }

  /** Ends a run that cannot continue. Listed changes that are not applied stay for the next one. */
  async fail(run: SyncRunRow, error: string, detail: string): Promise<void> {
    await this.rows.query(
      `WITH ended AS (UPDATE gateway.sync_run SET state = 'failed', lease_until = NULL, finished_at = now(), error = $3,
         error_detail = $4 WHERE id = $1 AND fence = $2 AND state IN ('queued', 'running') RETURNING source_id)
       UPDATE gateway.source s SET sync_failure = ${failureAtEnd} FROM ended WHERE s.id = ended.source_id`,
      [run.id, run.fence, error, detail, askForSync],
    );
  }

  /** Makes runs due that wait because their adapter could not be called. @returns their ids */
  async expedite(adapterId: string, codes: string[]): Promise<string[]> {
    const [rows] = (await this.rows.query(
      `UPDATE gateway.sync_run SET lease_until = NULL WHERE id IN (
         SELECT r.id FROM gateway.sync_run r JOIN gateway.source s ON s.id = r.source_id JOIN gateway.app a ON a.id = s.app_id
          WHERE a.adapter_id = $1 AND r.state = 'queued' AND r.error = ANY($2) AND r.lease_until > now()
          ORDER BY r.id FOR UPDATE OF r SKIP LOCKED)
       RETURNING id`,
      [adapterId, codes],
    )) as [{ id: string }[], number];
    return rows.map(({ id }) => id);
  }

  /** Makes runs of these Apps due that wait for one of these reasons. @returns their ids */
  async release(appIds: string[], codes: string[]): Promise<string[]> {
    const [rows] = (await this.rows.query(
      `UPDATE gateway.sync_run SET lease_until = NULL WHERE id IN (
         SELECT r.id FROM gateway.sync_run r JOIN gateway.source s ON s.id = r.source_id
          WHERE s.app_id = ANY($1) AND r.state = 'queued' AND r.error = ANY($2) AND r.lease_until > now()
          ORDER BY r.id FOR UPDATE OF r SKIP LOCKED)
       RETURNING id`,
      [appIds, codes],
    )) as [{ id: string }[], number];
    return rows.map(({ id }) => id);
  }

  /** Open runs that nobody works on. */
  async abandoned(limit: number): Promise<string[]> {
    const rows = (await this.rows.query(
      `SELECT id FROM gateway.sync_run WHERE state IN ('queued', 'running')
          AND (lease_until IS NULL OR lease_until <= now()) ORDER BY lease_until NULLS FIRST LIMIT $1`,
      [limit],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
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
    attempts: 0,
    fence: 0,
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
