import type { ProjectScope } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { storeTerms } from './chunk-terms.js';
import { chunksOf } from './chunks-of.js';
import type { KnowledgeDocument } from './document.entity.js';
import { type Facts, type Statements, storeFacts } from './fact-rows.js';

export type NewDocument = Pick<
  KnowledgeDocument,
  'title' | 'content' | 'source' | 'uri' | 'trust' | 'audience' | 'readers' | 'provenance'
> & {
  /** As it was declared. Absent: each part speaks for itself. */
  language?: string;
};

/** Words of more chunks would keep the process from other work; `ChunkIndexing` does the rest. */
const chunksAtOnce = 32;

/**
 * Stores a document with its chunks and facts, in the caller's transaction.
 * @param sha256 identifies equal documents of one source
 * @returns false when the project already has this document of that source
 */
export async function insertDocument(
  db: Statements,
  owner: ProjectScope,
  id: string,
  sha256: string,
  document: NewDocument,
  facts: Facts,
): Promise<boolean> {
  const made = (await db.query(
    `INSERT INTO engine.document (id, organization_id, project_id, title, content, content_sha256, source, uri, trust,
            audience, provenance, readers)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12)
     ON CONFLICT (project_id, source, content_sha256) DO NOTHING RETURNING id`,
    [
      id,
      owner.organizationId,
      owner.projectId,
      document.title,
      document.content,
      sha256,
      document.source,
      document.uri,
      document.trust,
      document.audience,
      storableJson(document.provenance),
      document.readers,
    ],
  )) as { id: string }[];
  if (made.length === 0) return false;
  const chunks = chunksOf(document.content).map((chunk, seq) => ({ seq, ...chunk }));
  await db.query(
    `INSERT INTO engine.chunk (document_id, seq, project_id, start, text, heading, language)
     SELECT $1, c.seq, $2, c.start, c.text, c.heading, $4
       FROM jsonb_to_recordset($3::jsonb) AS c(seq integer, start integer, text text, heading text)`,
    [id, owner.projectId, storableJson(chunks), document.language ?? null],
  );
  const of = { document_id: id, project_id: owner.projectId, title: document.title };
  await storeTerms(
    db,
    chunks.slice(0, chunksAtOnce).map((chunk) => ({ ...of, ...chunk })),
  );
  await storeFacts(db, owner.projectId, id, facts);
  return true;
}

/** Removes a document, its facts, and entities that nothing mentions any more. @returns false when there is none */
export async function deleteDocument(db: Statements, owner: ProjectScope, id: string): Promise<boolean> {
  const gone = (await db.query(
    `WITH gone AS (DELETE FROM engine.document WHERE id = $1 AND project_id = $2 AND organization_id = $3 RETURNING id)
     SELECT id FROM gone`,
    [id, owner.projectId, owner.organizationId],
  )) as unknown[];
  if (gone.length === 0) return false;
  await db.query('DELETE FROM engine.chunk WHERE document_id = $1', [id]);
  await db.query('DELETE FROM engine.relation WHERE document_id = $1', [id]);
  await db.query(
    `WITH unsaid AS (DELETE FROM engine.mention WHERE document_id = $1 RETURNING entity_id)
     DELETE FROM engine.entity e USING unsaid
      WHERE e.id = unsaid.entity_id
        AND NOT EXISTS (SELECT 1 FROM engine.mention m WHERE m.entity_id = e.id AND m.document_id <> $1)`,
    [id],
  );
  return true;
}
