import { failureSql } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { SourceDocumentRow } from './source-document.entity.js';
import type { SourceRow } from './source.entity.js';

/** A document whose last change the engine has not taken, with the trust of its source and whom that serves. */
export type PendingDocument = Pick<
  SourceDocumentRow,
  | 'id'
  | 'organization_id'
  | 'project_id'
  | 'source_id'
  | 'path'
  | 'state'
  | 'revision'
  | 'fingerprint'
  | 'content_type'
  | 'size'
  | 'sha256'
  | 'provenance'
  | 'access'
> & {
  trust: 'owner' | 'untrusted';
  /** Who may get answers, as the source has it. */
  set: Pick<SourceRow, 'audience' | 'access_from' | 'access' | 'access_rules'>;
  /** Whether it or its source shows a failure. */
  failed: boolean;
};

/** Changes of documents that the engine has not taken yet. A change sets `offer_at` in its own transaction. */
@Injectable()
export class KnowledgeFeedRepository {
  constructor(private readonly db: DataSource) {}

  /** Claims documents that are due; no other process gets them within the lease. */
  async claim(limit: number, leaseMs: number): Promise<PendingDocument[]> {
    const [rows] = (await this.db.query(
      `WITH due AS (SELECT id, source_id FROM gateway.source_document WHERE offer_at <= now() ORDER BY offer_at LIMIT $1
                       FOR UPDATE SKIP LOCKED)
       UPDATE gateway.source_document d SET offer_at = now() + make_interval(secs => $2)
         FROM due LEFT JOIN gateway.source s ON s.id = due.source_id WHERE d.id = due.id
       RETURNING d.id, d.organization_id, d.project_id, d.source_id, d.path, d.state, d.revision, d.fingerprint,
         d.content_type, d.size, d.sha256, d.provenance, d.access, coalesce(s.trust, 'untrusted') AS trust,
         jsonb_build_object('audience', coalesce(s.audience, 'known'), 'access_from', coalesce(s.access_from, 'provider'),
           'access', s.access, 'access_rules', coalesce(s.access_rules, '[]')) AS set,
         d.knowledge_failure IS NOT NULL OR s.feed_failure IS NOT NULL AS failed`,
      [limit, leaseMs / 1_000],
    )) as [PendingDocument[], number];
    return rows;
  }

  /** @returns null when it has changed since, or is gone */
  async contentOf({ id, revision }: PendingDocument): Promise<Buffer | null> {
    const [row] = (await this.db.query('SELECT content FROM gateway.source_document WHERE id = $1 AND revision = $2', [
      id,
      revision,
    ])) as { content: Buffer | null }[];
    return row?.content ?? null;
  }

  /**
   * Records the outcome of a version, unless the document has changed since. Deletes a tombstone of a deleted source.
   */
  async taken({ id, revision, source_id: sourceId, failed }: PendingDocument, knowledge: string): Promise<void> {
    await this.db.query(
      `WITH taken AS (UPDATE gateway.source_document SET offer_at = NULL, knowledge = $3, knowledge_failure = NULL
                      WHERE id = $1 AND revision = $2 AND NOT (${orphaned}))
       DELETE FROM gateway.source_document WHERE id = $1 AND revision = $2 AND ${orphaned}`,
      [id, revision, knowledge],
    );
    if (failed) await this.clear(sourceId);
  }

  /**
   * Shows on the document and its source that the engine has not taken a version. The wait before the next offer grows
   * to as long as it has been failing.
   */
  async failed(
    { id, revision }: PendingDocument,
    { code, detail }: { code: string; detail: string },
    wait: { leastMs: number; mostMs: number },
  ): Promise<void> {
    await this.db.query(
      `WITH due AS (
         SELECT id, now() + greatest(make_interval(secs => $5), least(make_interval(secs => $6),
           now() - coalesce((knowledge_failure->>'since')::timestamptz, now()))) AS at
           FROM gateway.source_document WHERE id = $1 AND revision = $2 AND offer_at IS NOT NULL),
       failed AS (
         UPDATE gateway.source_document d SET offer_at = due.at, knowledge_failure = ${notTaken}
           FROM due WHERE d.id = due.id RETURNING d.source_id, d.path, d.knowledge_failure AS failure)
       UPDATE gateway.source s SET feed_failure = failed.failure || jsonb_build_object(
           'since', coalesce(s.feed_failure->'since', failed.failure->'since'), 'error', failed.path || ': ' || $4::text)
         FROM failed WHERE s.id = failed.source_id`,
      [id, revision, code, detail, wait.leastMs / 1_000, wait.mostMs / 1_000],
    );
  }

  /** Runs after the commit of the outcome: of two concurrent calls, the later one sees that no failure is left. */
  private async clear(sourceId: string): Promise<void> {
    await this.db.query(
      `UPDATE gateway.source SET feed_failure = NULL WHERE id = $1 AND feed_failure IS NOT NULL AND NOT EXISTS (
         SELECT FROM gateway.source_document WHERE source_id = $1 AND knowledge_failure IS NOT NULL)`,
      [sourceId],
    );
  }
}

const notTaken = failureSql('d.knowledge_failure', {
  code: '$3',
  error: '$4',
  nextTryAt: 'due.at',
  whatToDo: 'NULL',
});

const orphaned = `state = 'removed' AND NOT EXISTS (SELECT FROM gateway.source s WHERE s.id = source_id)`;

/** Locks the documents before their source: whoever records the outcome of a document locks in that order too. */
export async function holdDocuments(manager: EntityManager, sourceId: string): Promise<void> {
  await manager.query('SELECT FROM gateway.source_document WHERE source_id = $1 ORDER BY id FOR UPDATE', [sourceId]);
}

/** Offers all current documents again, since a setting of their source has changed. */
export async function republishDocuments(manager: EntityManager, sourceId: string): Promise<void> {
  await manager.query(
    `UPDATE gateway.source_document SET revision = revision + 1, offer_at = now() WHERE source_id = $1 AND state = 'current'`,
    [sourceId],
  );
}

/** Turns the documents of a deleted source into tombstones, each kept until the engine has taken it. */
export async function disown(manager: EntityManager, sourceId: string): Promise<void> {
  await manager.query(
    `DELETE FROM gateway.source_document WHERE source_id = $1 AND state = 'removed' AND offer_at IS NULL`,
    [sourceId],
  );
  await manager.query(
    `UPDATE gateway.source_document SET state = 'removed', content = NULL, removed_at = now(), updated_at = now(),
       revision = revision + 1, offer_at = now() WHERE source_id = $1 AND state = 'current'`,
    [sourceId],
  );
}
