import { AuditLog } from '#libs/audit';
import { type DocumentAccess, newId, type Order, type ProjectScope } from '#libs/contracts';
import { keyset } from '#libs/database';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { KnowledgeDocument } from './document.entity.js';
import { deleteDocument, insertDocument, type NewDocument } from './document-rows.js';
import type { Facts } from './fact-rows.js';

/**
 * As whom somebody reads: audiences, and a contact's addresses and groups. The turn of an untrusted sender reads as
 * `everyone`. Null: as a person with the right to see the whole knowledge.
 */
export type Reader = readonly string[] | null;

/** SQL for whether a reader may see a document. @param document its alias */
export const visibleTo = (reader: string, document: string): string =>
  `(${reader}::text[] IS NULL OR ${document}.audience = ANY(${reader}::text[])
    OR (${document}.audience = 'listed' AND ${document}.readers && ${reader}::text[]))`;

export type DocumentHead = Omit<KnowledgeDocument, 'content' | 'content_sha256' | 'organization_id' | 'project_id'> & {
  chars: number;
  /** Whether it has all its vectors; null: the project has chosen no model of embeddings. */
  by_meaning: boolean | null;
};

const head = `id, title, source, uri, trust, audience, readers, provenance, created_at, length(content) AS chars,
  (SELECT coalesce(document.embedded_in = m.space, false) FROM engine.embedding_model m
    WHERE m.project_id = document.project_id AND m.model IS NOT NULL) AS by_meaning`;

/** Of a conversation, the newest that are looked at. Old ones are in no model's window, but in its summary. */
const mostTurns = 10_000;

@Injectable()
export class DocumentRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Stores a document with its chunks and facts, or finds the same document of that source. @returns its id */
  async store(owner: ProjectScope, document: NewDocument, facts: Facts): Promise<{ id: string; isNew: boolean }> {
    const sha256 = createHash('sha256')
      .update(JSON.stringify([document.title, document.content, facts, document.trust]))
      .digest('hex');
    return this.db.transaction(async (db) => {
      const id = newId('doc');
      if (await insertDocument(db, owner, id, sha256, document, facts)) return { id, isNew: true };
      const [same] = (await db.query(
        'SELECT id FROM engine.document WHERE project_id = $1 AND source = $2 AND content_sha256 = $3',
        [owner.projectId, document.source, sha256],
      )) as { id: string }[];
      return { id: same?.id ?? id, isNew: false };
    });
  }

  /** A part of a document, by its id or else by its title (the newest one). */
  async read(
    owner: ProjectScope,
    reader: Reader,
    by: { id: string | null; title: string | null },
    offset: number,
    chars: number,
  ): Promise<(DocumentHead & { text: string }) | null> {
    const rows = (await this.db.query(
      `SELECT ${head}, substr(content, $6::integer + 1, $7::integer) AS text FROM engine.document
        WHERE project_id = $1 AND organization_id = $2 AND ${visibleTo('$3', 'document')}
          AND CASE WHEN $4::text IS NOT NULL THEN id = $4 ELSE lower(title) = lower($5) END
        ORDER BY id DESC LIMIT 1`,
      [owner.projectId, owner.organizationId, reader, by.id, by.title, offset, chars],
    )) as (DocumentHead & { text: string })[];
    return rows[0] ?? null;
  }

  /** One more than `limit` if there are more. */
  async list(
    owner: ProjectScope,
    { limit, cursor = null, order }: { limit: number; cursor?: string | null; order: Order },
  ): Promise<DocumentHead[]> {
    const { after, by } = keyset('id', '$3', order);
    return (await this.db.query(
      `SELECT ${head} FROM engine.document
        WHERE project_id = $1 AND organization_id = $2 AND ${after} ORDER BY ${by} LIMIT $4`,
      [owner.projectId, owner.organizationId, cursor, limit + 1],
    )) as DocumentHead[];
  }

  /**
   * Sets who may read a document that no source keeps up to date.
   * @returns `of_source`; null when there is none
   */
  async setAccess(
    caller: Principal,
    id: string,
    { audience, readers }: DocumentAccess,
  ): Promise<'set' | 'of_source' | null> {
    return this.db.transaction(async (tx) => {
      const [before] = (await tx.query(
        `SELECT source, audience, readers FROM engine.document
          WHERE id = $1 AND project_id = $2 AND organization_id = $3 FOR UPDATE`,
        [id, caller.projectId, caller.organizationId],
      )) as (DocumentAccess & Pick<KnowledgeDocument, 'source'>)[];
      if (!before) return null;
      if (before.source === 'sync') return 'of_source';
      await tx.query('UPDATE engine.document SET audience = $2, readers = $3 WHERE id = $1', [id, audience, readers]);
      const change = { before: { audience: before.audience, readers: before.readers }, after: { audience, readers } };
      await this.audit.append(tx, caller, { action: 'document.access_set', subject: id, ...change });
      return 'set';
    });
  }

  /**
   * Who may read all of what a turn, its conversation and the agents that it asked have read of listed documents.
   * @returns null when they have read none
   */
  async readersOfWindow({
    turnId,
    sessionId,
    projectId,
  }: {
    turnId: string;
    sessionId: string | null;
    projectId: string;
  }) {
    const lists = (await this.db.query(
      `SELECT DISTINCT d.id, d.readers
         FROM (SELECT id FROM engine.turn WHERE project_id = $3
                  AND (id = $1 OR called_by = $1 OR session_id = $2) ORDER BY id DESC LIMIT ${mostTurns}) AS t
         JOIN engine.step s ON s.turn_id = t.id AND s.kind = 'tool_result'
        CROSS JOIN LATERAL jsonb_array_elements(coalesce(s.content->'documents', '[]')) AS named
         JOIN engine.document d ON d.id = named->>'id' AND d.project_id = $3 AND d.audience = 'listed'`,
      [turnId, sessionId, projectId],
    )) as { readers: string[] }[];
    const [first, ...others] = lists.map(({ readers }) => readers);
    return first ? first.filter((reader) => others.every((list) => list.includes(reader))) : null;
  }

  /** @returns false when there is none */
  async delete(owner: ProjectScope, id: string): Promise<boolean> {
    return this.db.transaction((db) => deleteDocument(db, owner, id));
  }
}
