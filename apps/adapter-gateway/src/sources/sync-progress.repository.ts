import { newId } from '#libs/contracts';
import { failureSql } from '#libs/service-kit';
import { endSql, LeaseLost } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { isDeepStrictEqual } from 'node:util';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import type { ChangePage } from './change-page.js';
import type { FetchedFile } from './fetched-file.js';
import { holdDocuments, republishDocuments } from './knowledge-feed.repository.js';
import { SourceChangeRow } from './source-change.entity.js';
import { SourceDocumentRow } from './source-document.entity.js';
import { type PlaceAccess, SourceRow } from './source.entity.js';
import { type DocumentFailure, SyncRunRow } from './sync-run.entity.js';
import { insertRun } from './sync-run.repository.js';

const maxFailuresShown = 20;
/** The claim that works on it is the first try since. */
const progress = 'tries = 1, blocked_since = NULL';

/** Every step of a run is one transaction that begins by locking the run under its claim: it is done once, or not at all. */
@Injectable()
export class SyncProgressRepository {
  constructor(
    private readonly db: DataSource,
    @InjectRepository(SourceChangeRow) private readonly changes: Repository<SourceChangeRow>,
  ) {}

  /**
   * Stores a page: its changes wait to be applied, and the cursor advances in the same transaction. @throws LeaseLost
   */
  async takePage(run: SyncRunRow, page: ChangePage): Promise<SyncRunRow> {
    // The last page decides whether the listing is complete, unless an earlier one denied it.
    const full = run.full_listing === false ? false : page.full;
    const key = listingKey(run);
    return this.db.transaction(async (manager) => {
      const held = await hold(
        manager,
        run,
        `cursor = $3, pages = pages + 1, full_listing = $4, phase = $5, ${progress}, reason = NULL, error_detail = NULL`,
        [page.cursor, page.hasMore ? full : full === true, page.hasMore ? 'listing' : 'fetching'],
      );
      if (page.access) await this.takeAccess(manager, run.source_id, page.access);
      const column = <T>(of: (change: ChangePage['changes'][number]) => T): T[] => page.changes.map(of);
      const paths = column((change) => change.path);
      const fingerprints = column((change) => change.fingerprint);
      const statuses = column((change) => change.status);
      await manager.query(
        `UPDATE gateway.sync_run SET listed = listed + (
           SELECT count(*) FROM unnest($2::text[], $3::text[], $4::text[]) AS t(path, fingerprint, status)
             LEFT JOIN gateway.source_document d ON d.source_id = $6 AND d.path = t.path AND d.state = 'current'
             LEFT JOIN gateway.source_change c ON c.source_id = $6 AND c.path = t.path
            WHERE CASE WHEN t.status = 'removed' THEN d.id IS NOT NULL AND c.status IS DISTINCT FROM 'removed'
                       WHEN c.listed_in = $5 OR d.seen_in = $5 THEN t.fingerprint IS NOT NULL
                         AND t.fingerprint IS DISTINCT FROM coalesce(c.fingerprint, d.fingerprint)
                       ELSE true END) WHERE id = $1`,
        [run.id, paths, fingerprints, statuses, key, run.source_id],
      );
      await manager.query('DELETE FROM gateway.source_change WHERE source_id = $1 AND path = ANY($2)', [
        run.source_id,
        paths,
      ]);
      await manager.query(
        `UPDATE gateway.source_document SET seen_in = $3
          WHERE source_id = $1 AND path IN (SELECT path FROM unnest($2::text[], $4::text[]) AS t(path, status)
                                             WHERE status <> 'removed')`,
        [run.source_id, paths, key, statuses],
      );
      await manager.query(
        `INSERT INTO gateway.source_change (source_id, path, fingerprint, status, attempts, listed_in)
         SELECT $1, t.path, t.fingerprint, t.status, 0, $5
           FROM unnest($2::text[], $3::text[], $4::text[]) AS t(path, fingerprint, status)
           LEFT JOIN gateway.source_document d ON d.source_id = $1 AND d.path = t.path AND d.state = 'current'
          WHERE CASE WHEN t.status = 'removed' THEN d.id IS NOT NULL
                     ELSE d.id IS NULL OR t.fingerprint IS NULL OR d.fingerprint IS DISTINCT FROM t.fingerprint END`,
        [run.source_id, paths, fingerprints, statuses, key],
      );
      await noteMissing(manager, run, page.leftOut);
      if (page.hasMore) return held;
      await manager.query('UPDATE gateway.source SET cursor = $2 WHERE id = $1', [run.source_id, page.cursor]);
      if (full === true) {
        // A change that an earlier run could not apply and that this complete listing does not name is obsolete.
        await manager.query('DELETE FROM gateway.source_change WHERE source_id = $1 AND listed_in <> $2', [
          run.source_id,
          key,
        ]);
      }
      return held;
    });
  }

  /** All documents are offered again where that changes who may get answers from them: none is fetched for it. */
  private async takeAccess(manager: EntityManager, id: string, access: PlaceAccess): Promise<void> {
    const known = await manager.findOne(SourceRow, { where: { id }, select: { id: true, access: true } });
    if (isDeepStrictEqual(known?.access ?? null, access)) return;
    await holdDocuments(manager, id);
    const before = await manager.findOne(SourceRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!before) return;
    await manager.update(SourceRow, { id }, { access } as object);
    const isSame = isDeepStrictEqual(reportedOf(before), reportedOf({ ...before, access }));
    if (!isSame) await republishDocuments(manager, id);
  }

  /** Starts the listing again, since the adapter no longer knows the cursor. @throws LeaseLost */
  beginListing(run: SyncRunRow): Promise<SyncRunRow> {
    return hold(this.db.manager, run, 'cursor = NULL, full_listing = NULL, listing = listing + 1', []);
  }

  /** Changes to apply; those that failed before come last. */
  open(run: SyncRunRow, limit: number): Promise<SourceChangeRow[]> {
    return this.changes
      .createQueryBuilder('change')
      .where('change.source_id = :id AND (change.given_up_by IS NULL OR change.given_up_by <> :run)', {
        id: run.source_id,
        run: run.id,
      })
      .orderBy('change.attempts')
      .addOrderBy('change.path')
      .limit(limit)
      .getMany();
  }

  /** @throws LeaseLost */
  async keep(
    run: SyncRunRow,
    source: SourceRow,
    adapter: string,
    change: SourceChangeRow,
    file: FetchedFile,
  ): Promise<void> {
    await this.db.transaction(async (manager) => {
      const where = { source_id: source.id, path: change.path };
      await hold(manager, run, progress, []);
      const before = await manager.findOneBy(SourceDocumentRow, where);
      const was = before?.state === 'current' ? before : null;
      const sameAccess = was !== null && isDeepStrictEqual(was.access, file.access);
      const same = was?.sha256 === file.sha256 && was.content_type === file.contentType && sameAccess;
      const now = new Date();
      const provenance = {
        app_id: source.app_id,
        adapter,
        resource_path: source.resource_path,
        run_id: run.id,
        fetched_at: now.toISOString(),
      };
      const row = {
        ...where,
        id: before?.id ?? newId('sdoc'),
        organization_id: source.organization_id,
        project_id: source.project_id,
        state: 'current',
        fingerprint: file.fingerprint ?? change.fingerprint,
        content_type: file.contentType,
        size: file.bytes.length,
        sha256: file.sha256,
        access: file.access,
        content: file.bytes,
        provenance,
        seen_in: listingKey(run),
        ...(same ? {} : { revision: (before?.revision ?? 0) + 1, offer_at: now }),
        created_at: before?.created_at ?? now,
        updated_at: now,
        removed_at: null,
      };
      await manager.upsert(SourceDocumentRow, row as object, ['source_id', 'path']);
      if (!was) await count(manager, run, 'added');
      else if (was.sha256 !== file.sha256 || !sameAccess) await count(manager, run, 'changed');
      await manager.delete(SourceChangeRow, where);
    });
  }

  /** @throws LeaseLost */
  async remove(run: SyncRunRow, change: SourceChangeRow): Promise<void> {
    await this.db.transaction(async (manager) => {
      await hold(manager, run, progress, []);
      const removed = await leaveTombstones(manager, 'source_id = $1 AND path = $2', [run.source_id, change.path]);
      await count(manager, run, 'removed', removed);
      await manager.delete(SourceChangeRow, { source_id: run.source_id, path: change.path });
    });
  }

  /**
   * Records a failed change. It is retried in this run up to `maxAttempts`, then in the next one; never after a
   * permanent failure.
   * @throws LeaseLost
   */
  async noteFailure(
    run: SyncRunRow,
    change: SourceChangeRow,
    failure: { error: string; permanent: boolean },
    maxAttempts: number,
  ): Promise<void> {
    const attempts = (change.given_up_by === null ? change.attempts : 0) + 1;
    const over = failure.permanent || attempts >= maxAttempts;
    const where = { source_id: run.source_id, path: change.path };
    await this.db.transaction(async (manager) => {
      await hold(manager, run, 'tries = tries', []);
      if (failure.permanent) await manager.delete(SourceChangeRow, where);
      else await manager.update(SourceChangeRow, where, { attempts, given_up_by: over ? run.id : null } as object);
      if (!over) return;
      await noteMissing(manager, run, [{ path: change.path, error: failure.error }]);
    });
  }

  /**
   * Ends a run that has reached its page limit, and begins the one that goes on with its listing, in one step. What is
   * gone is known only at the end of the listing.
   * @throws LeaseLost
   */
  async continueInNewRun(run: SyncRunRow): Promise<SyncRunRow | null> {
    return this.db.transaction(async (manager) => {
      const held = await hold(manager, run, progress, []);
      await manager.query(`UPDATE gateway.sync_run SET ${endSql('partial')} WHERE id = $1`, [run.id]);
      const { source_id: id, organization_id, project_id, cursor, cause, listing, full_listing } = held;
      await manager.update(SourceRow, { id }, { cursor });
      const rest = { listing, full_listing, continues: held.continues ?? held.id };
      return insertRun(manager, { id, organization_id, project_id, cursor }, cause, rest);
    });
  }

  /** Ends the run. Only a complete listing tells what is gone. @throws LeaseLost */
  async finish(run: SyncRunRow): Promise<void> {
    await this.db.transaction(async (manager) => {
      const held = await hold(manager, run, progress, []);
      if (held.full_listing === true) {
        const unseen = 'source_id = $1 AND seen_in IS DISTINCT FROM $2';
        await count(manager, run, 'removed', await leaveTombstones(manager, unseen, [run.source_id, listingKey(run)]));
      }
      await manager.query(`UPDATE gateway.sync_run SET ${endSql('succeeded')} WHERE id = $1`, [run.id]);
      await manager.query(
        `UPDATE gateway.source s SET
           sync_failure = CASE WHEN r.failed = 0 THEN NULL ELSE ${documentsFailed} END,
           feed_failure = CASE WHEN EXISTS (SELECT FROM gateway.source_document d
             WHERE d.source_id = s.id AND d.knowledge_failure IS NOT NULL) THEN s.feed_failure END
          FROM gateway.sync_run r WHERE r.id = $1 AND s.id = r.source_id`,
        [run.id],
      );
    });
  }
}

/** What of the report holds: neither its note nor the order of its readers, and nothing where the project sets all. */
function reportedOf({ access_from: from, access }: SourceRow): object | null {
  return from === 'provider' && access ? { audience: access.audience, readers: access.readers.toSorted() } : null;
}

/** For a run that finished without some documents. */
const documentsFailed = failureSql('s.sync_failure', {
  code: `'documents_failed'`,
  error: `r.failed || ' documents could not be read; the first: ' || coalesce(r.failures->0->>'path', '?') || ': '
    || coalesce(r.failures->0->>'error', '?')`,
  nextTryAt: 's.next_sync_at',
  whatToDo: `'The run ' || r.id || ' lists them. The next synchronisation retries those whose error may be temporary.'`,
});

/** The same in all runs that go on with a listing. */
function listingKey({ id, continues, listing }: SyncRunRow): string {
  return `${continues ?? id}:${listing}`;
}

/** @param set assignments whose parameters begin at $3 */
async function hold(manager: EntityManager, run: SyncRunRow, set: string, values: unknown[]): Promise<SyncRunRow> {
  const [rows] = (await manager.query(
    `UPDATE gateway.sync_run SET ${set} WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING *`,
    [run.id, run.claim, ...values],
  )) as [SyncRunRow[], number];
  const held = rows[0];
  if (!held) throw new LeaseLost(`the run ${run.id} was taken over by another process`);
  return held;
}

async function count(
  manager: EntityManager,
  run: SyncRunRow,
  counter: 'added' | 'changed' | 'removed' | 'failed',
  by = 1,
): Promise<void> {
  if (by > 0) await manager.increment(SyncRunRow, { id: run.id }, counter, by);
}

/** Counts documents that the run does not have, and keeps the first of all for people. */
async function noteMissing(manager: EntityManager, run: SyncRunRow, missing: DocumentFailure[]): Promise<void> {
  await count(manager, run, 'failed', missing.length);
  if (missing.length === 0) return;
  await manager.query(
    `UPDATE gateway.sync_run SET failures = failures || (
       SELECT coalesce(jsonb_agg(entry ORDER BY at), '[]') FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS t(entry, at)
        WHERE at <= $3 - jsonb_array_length(failures)) WHERE id = $1`,
    [run.id, JSON.stringify(missing.slice(0, maxFailuresShown)), maxFailuresShown],
  );
}

/** Makes tombstones of current documents. @returns how many */
async function leaveTombstones(manager: EntityManager, where: string, values: unknown[]): Promise<number> {
  const [, left] = (await manager.query(
    `UPDATE gateway.source_document SET state = 'removed', content = NULL, removed_at = now(), updated_at = now(),
       revision = revision + 1, offer_at = now() WHERE state = 'current' AND ${where}`,
    values,
  )) as [unknown[], number];
  return left;
}
