import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Reader, visibleTo } from '../document.repository.js';
import type { ChunkKey } from '../fuse-rankings.js';
import type { EmbeddingModelRow } from './embedding-model.entity.js';

/** Of the vectors of a project, so many whose signs are most like those of a question are compared number by number. */
const mostCompared = 500;
/** Looked at together for chunks without a vector. */
const documentsAtOnce = 32;

export type Space = Pick<EmbeddingModelRow, 'organization_id' | 'project_id' | 'space'>;

/** A chunk without a vector, and the version of its document: a later one may have the same id. */
export interface ChunkToEmbed {
  document_id: string;
  version: string;
  seq: number;
  title: string;
  heading: string | null;
  text: string;
}

interface Pending {
  documents: { id: string; version: string }[];
  chunks: ChunkToEmbed[];
}

@Injectable()
export class ChunkVectorRepository {
  constructor(private readonly db: DataSource) {}

  /** Documents whose vectors in the space are missing or not complete, and the first of their chunks without one. */
  async pending({ organization_id, project_id, space }: Space, mostChunks: number): Promise<Pending> {
    // Three ranges of an index, so that a look that finds nothing costs nothing.
    const documents = (await this.db.query(
      `SELECT id, created_at::text AS version FROM (
         (SELECT id, created_at FROM engine.document WHERE project_id = $1 AND embedded_in IS NULL AND organization_id = $3 LIMIT $4)
         UNION ALL
         (SELECT id, created_at FROM engine.document WHERE project_id = $1 AND embedded_in < $2 AND organization_id = $3 LIMIT $4)
         UNION ALL
         (SELECT id, created_at FROM engine.document WHERE project_id = $1 AND embedded_in > $2 AND organization_id = $3 LIMIT $4)
       ) AS missing LIMIT $4`,
      [project_id, space, organization_id, documentsAtOnce],
    )) as Pending['documents'];
    if (documents.length === 0) return { documents, chunks: [] };
    const chunks = (await this.db.query(
      `SELECT c.document_id, d.created_at::text AS version, c.seq, d.title, c.heading, c.text
         FROM engine.document d JOIN engine.chunk c ON c.document_id = d.id
         LEFT JOIN engine.chunk_vector v ON v.document_id = c.document_id AND v.seq = c.seq AND v.space = $2
        WHERE d.id = ANY($1) AND v.document_id IS NULL ORDER BY c.document_id, c.seq LIMIT $3`,
      [documents.map(({ id }) => id), space, mostChunks],
    )) as ChunkToEmbed[];
    return { documents, chunks };
  }

  /**
   * Stores vectors, and marks the documents that have all of theirs. What was made for a version of a document that is
   * gone, or in a space that was given up, is dropped.
   * @param vectors of the chunks, in their order; null: the model refuses the text
   */
  async keep(
    { organization_id, project_id, space }: Space,
    documents: Pending['documents'],
    chunks: ChunkToEmbed[],
    vectors: (Float32Array | null)[],
  ): Promise<void> {
    const ids = documents.map(({ id }) => id);
    const versions = documents.map(({ version }) => version);
    await this.db.transaction(async (tx) => {
      // A change of the model waits for this, and so does one of the documents.
      const current = (await tx.query(
        'SELECT FROM engine.embedding_model WHERE project_id = $1 AND space = $2 AND model IS NOT NULL FOR SHARE',
        [project_id, space],
      )) as unknown[];
      if (current.length === 0) return;
      await tx.query('SELECT FROM engine.document WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE', [ids]);
      await tx.query(
        `INSERT INTO engine.chunk_vector AS v (document_id, seq, project_id, space, signs, vector)
         SELECT c.document_id, c.seq, $2, $3, g.signs::varbit, decode(g.vector, 'base64')
           FROM unnest($4::text[], $5::text[], $6::integer[], $7::text[], $8::text[]) AS g(id, version, seq, signs, vector)
           JOIN engine.document d ON d.id = g.id AND d.project_id = $2 AND d.organization_id = $1
                                 AND d.created_at = g.version::timestamptz
           JOIN engine.chunk c ON c.document_id = d.id AND c.seq = g.seq
         ON CONFLICT (document_id, seq) DO UPDATE
           SET space = EXCLUDED.space, signs = EXCLUDED.signs, vector = EXCLUDED.vector`,
        [
          organization_id,
          project_id,
          space,
          chunks.map((chunk) => chunk.document_id),
          chunks.map((chunk) => chunk.version),
          chunks.map((chunk) => chunk.seq),
          vectors.map((vector) => (vector === null ? null : signsOf(vector))),
          vectors.map((vector) => (vector === null ? '' : bytesOf(vector).toString('base64'))),
        ],
      );
      await tx.query(
        `UPDATE engine.document d SET embedded_in = $1
           FROM unnest($2::text[], $3::text[]) AS g(id, version)
          WHERE d.id = g.id AND d.project_id = $4 AND d.organization_id = $5 AND d.created_at = g.version::timestamptz
            AND NOT EXISTS (SELECT FROM engine.chunk c WHERE c.document_id = d.id AND NOT EXISTS (
                  SELECT FROM engine.chunk_vector v
                   WHERE v.document_id = c.document_id AND v.seq = c.seq AND v.space = $1))`,
        [space, ids, versions, project_id, organization_id],
      );
    });
  }

  /**
   * The chunks that are nearest to a question, nearest first, among the newest that the reader may see. All their signs
   * are compared, which Postgres does without an extension, and then the vectors that those leave.
   * @param most vectors whose signs are compared
   * @returns `skipped`: there are more
   */
  async nearest(
    { organization_id, project_id, space }: Space,
    reader: Reader,
    question: Float32Array,
    { limit, most }: { limit: number; most: number },
  ): Promise<{ found: ChunkKey[]; skipped: boolean }> {
    const rows = (await this.db.query(
      `WITH scanned AS MATERIALIZED (
         SELECT v.document_id, v.seq, v.signs
           FROM engine.chunk_vector v JOIN engine.document d ON d.id = v.document_id AND d.embedded_in = v.space
          WHERE v.project_id = $1 AND v.space = $2 AND d.organization_id = $3 AND ${visibleTo('$4', 'd')}
            AND v.signs IS NOT NULL
          ORDER BY v.document_id DESC, v.seq DESC LIMIT $5 + 1),
       alike AS (
         SELECT document_id, seq FROM (SELECT * FROM scanned LIMIT $5) AS newest
          ORDER BY bit_count(signs # $6::varbit), document_id DESC, seq LIMIT ${mostCompared})
       SELECT v.document_id, v.seq, v.vector, (SELECT count(*) FROM scanned) > $5 AS skipped
         FROM alike JOIN engine.chunk_vector v USING (document_id, seq) WHERE v.space = $2`,
      [project_id, space, organization_id, reader, most, signsOf(question)],
    )) as (ChunkKey & { vector: Buffer; skipped: boolean })[];
    const found = rows
      .map(({ document_id, seq, vector }) => ({ document_id, seq, near: nearness(question, vector) }))
      .sort((one, other) => other.near - one.near)
      .slice(0, limit);
    return { found, skipped: rows[0]?.skipped === true };
  }

  /** How many documents have their vectors in the space, of how many, and how many chunks the model refuses. */
  async progress({ organization_id, project_id, space }: Space) {
    const [row] = (await this.db.query(
      `SELECT count(*)::integer AS documents, (count(*) FILTER (WHERE embedded_in = $3))::integer AS embedded,
              (SELECT count(*)::integer FROM engine.chunk_vector
                WHERE project_id = $1 AND space = $3 AND length(vector) = 0) AS refused
         FROM engine.document WHERE project_id = $1 AND organization_id = $2`,
      [project_id, organization_id, space],
    )) as { documents: number; embedded: number; refused: number }[];
    return row ?? { documents: 0, embedded: 0, refused: 0 };
  }

  /** @returns how many were removed */
  async removeSome(projectId: string, limit: number): Promise<number> {
    const [, removed] = (await this.db.query(
      `DELETE FROM engine.chunk_vector WHERE (document_id, seq) IN (
         SELECT document_id, seq FROM engine.chunk_vector WHERE project_id = $1 LIMIT $2)`,
      [projectId, limit],
    )) as [unknown[], number];
    return removed;
  }
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

function signsOf(vector: Float32Array): string {
  return Array.from(vector, (number) => (number > 0 ? '1' : '0')).join('');
}

/** The cosine: both have length 1. */
function nearness(question: Float32Array, bytes: Buffer): number {
  // A copy, since the numbers of a view have to begin at a multiple of four bytes.
  const vector = new Float32Array(new Uint8Array(bytes).buffer);
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) * (question[at] ?? 0);
  return sum;
}
