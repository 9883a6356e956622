import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { SourceDocumentRow } from './source-document.entity.js';

/** A document whose last change the engine has not taken, with what its source says of its trust. */
export type UntoldDocument = Pick<
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
> & { trust: 'owner' | 'untrusted'; audience: 'known' | 'everyone' };

/** Which changes of documents the engine has yet to take: a change sets `tell_at` in the transaction that makes it. */
@Injectable()
export class KnowledgeFeedRepository {
  constructor(@InjectDataSource() private readonly db: DataSource) {}

  /** Documents that are due, none of which another process gets within the lease. */
  async claim(limit: number, leaseMs: number): Promise<UntoldDocument[]> {
    const [rows] = (await this.db.query(
      `WITH due AS (SELECT id, source_id FROM gateway.source_document WHERE tell_at <= now() ORDER BY tell_at LIMIT $1
                       FOR UPDATE SKIP LOCKED)
       UPDATE gateway.source_document d SET tell_at = now() + make_interval(secs => $2)
         FROM due LEFT JOIN gateway.source s ON s.id = due.source_id WHERE d.id = due.id
       RETURNING d.id, d.organization_id, d.project_id, d.source_id, d.path, d.state, d.revision, d.fingerprint,
         d.content_type, d.size, d.sha256, d.provenance, coalesce(s.trust, 'untrusted') AS trust,
         coalesce(s.audience, 'known') AS audience`,
      [limit, leaseMs / 1_000],
    )) as [UntoldDocument[], number];
    return rows;
  }

  /** @returns null when it has changed since, or is gone */
  async contentOf({ id, revision }: UntoldDocument): Promise<Buffer | null> {
    const [row] = (await this.db.query('SELECT content FROM gateway.source_document WHERE id = $1 AND revision = $2', [
      id,
      revision,
    ])) as { content: Buffer | null }[];
    return row?.content ?? null;
  }

  /** Notes what became of a version; one that has changed since stays open. A tombstone of a deleted source goes with it. */
  async told({ id, revision }: UntoldDocument, knowledge: string): Promise<void> {
    await this.db.query(
      `WITH told AS (UPDATE gateway.source_document SET tell_at = NULL, knowledge = $3
                      WHERE id = $1 AND revision = $2 AND NOT (${orphaned}))
       DELETE FROM gateway.source_document WHERE id = $1 AND revision = $2 AND ${orphaned}`,
      [id, revision, knowledge],
    );
  }

  /** Offers them again after `waitMs`. */
  async putOff(ids: string[], waitMs: number): Promise<void> {
    await this.db.query(
      `UPDATE gateway.source_document SET tell_at = now() + make_interval(secs => $2) WHERE id = ANY($1) AND tell_at IS NOT NULL`,
      [ids, waitMs / 1_000],
    );
  }
}

const orphaned = `state = 'removed' AND NOT EXISTS (SELECT FROM gateway.source s WHERE s.id = source_id)`;

/** Documents that are in force are offered anew, as what is said of all of them has changed. */
export async function offerAgain(manager: EntityManager, sourceId: string): Promise<void> {
  await manager.query(
    `UPDATE gateway.source_document SET revision = revision + 1, tell_at = now() WHERE source_id = $1 AND state = 'current'`,
    [sourceId],
  );
}

/** The documents of a source that is deleted become tombstones, each until the engine has taken it. */
export async function disown(manager: EntityManager, sourceId: string): Promise<void> {
  await manager.query(
    `DELETE FROM gateway.source_document WHERE source_id = $1 AND state = 'removed' AND tell_at IS NULL`,
    [sourceId],
  );
  await manager.query(
    `UPDATE gateway.source_document SET state = 'removed', content = NULL, removed_at = now(), updated_at = now(),
       revision = revision + 1, tell_at = now() WHERE source_id = $1 AND state = 'current'`,
    [sourceId],
  );
}
