import { newId, type Order, type ProjectScope } from '#libs/contracts';
import { keyset } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { KnowledgeDocument } from './document.entity.js';
import { deleteDocument, insertDocument, type NewDocument } from './document-rows.js';
import type { Facts } from './fact-rows.js';

/** Who reads: the turn of an untrusted sender sees only documents for everyone. */
export type Reader = 'everyone' | 'known';

/** SQL for whether a reader may see a document. @param document its alias */
export const visibleTo = (reader: string, document: string): string =>
  `(${reader} = 'known' OR ${document}.audience = 'everyone')`;

export type DocumentHead = Omit<KnowledgeDocument, 'content' | 'content_sha256' | 'organization_id' | 'project_id'> & {
  chars: number;
};

const head = 'id, title, source, uri, trust, audience, provenance, created_at, length(content) AS chars';

@Injectable()
export class DocumentRepository {
  constructor(private readonly db: DataSource) {}

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

  /** @returns false when there is none */
  async delete(owner: ProjectScope, id: string): Promise<boolean> {
    return this.db.transaction((db) => deleteDocument(db, owner, id));
  }
}
