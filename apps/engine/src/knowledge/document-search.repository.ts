import type { ProjectScope } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ChunkKey, fuseRankings, keyOf, mostOfOneDocument } from './fuse-rankings.js';
import { anyOf, type AskedWord, type Question, questionOf, type Sought, soughtOf } from './question.js';
import { projectTerm, stemMark } from './chunk-terms.js';
import type { DocumentTrust } from './document.entity.js';
import { type Reader, visibleTo } from './document.repository.js';

export interface FoundChunk {
  document_id: string;
  title: string;
  excerpt: string;
  /** Offset of the excerpt in the document, in characters. */
  offset: number;
  trust: DocumentTrust;
  source: string;
}

type Ranked = ChunkKey & FoundChunk;

/** @param note what people and the model have to know of the search; null: nothing */
export interface Search {
  found: FoundChunk[];
  note: string | null;
}

export interface Nearest {
  /** The nearest one first. */
  found: ChunkKey[];
  note: string | null;
}

/** Who searches, and whose usage it is. */
export interface Asker {
  reader: Reader;
  /** Null: the project itself, for a person. */
  payer: { agentId: string; contactId: string | null } | null;
}

/** Finds chunks by what a text means. */
export interface Meaning {
  /** @returns null where the project has chosen no model for it */
  nearest(owner: ProjectScope, by: Asker, text: string, limit: number): Promise<Nearest | null>;
}

/** Injection token of `Meaning`. */
export const MEANING = Symbol('Meaning');

/** When the rarity of a term is judged, more chunks of a project, or with the term, count as this many. */
const mostCounted = 20_000;
const mostMatching = 1_000;
/** Terms are looked up from the rarest on until so many chunks may have them; only those are compared. */
const mostCompared = 500;
/** A chunk without any of the words has to have this part of the letters of one. */
const leastShared = 0.4;
const mostLanguages = 12;
/** Of the fusion of words with letters: how little the first places count for more than the next. */
const fusion = 60;
/** Of each ranking so many chunks are fused. */
const mostFused = 50;

interface Weighted extends Sought {
  chunks: number;
  rarity: number;
}

/**
 * Finds chunks by the words of a question: their forms, and their letters for what is misspelt or part of a compound.
 * Both rank the chunks by how rare is what they share with the question, and the two ranks are fused; then with the
 * ranks by meaning, where the project has chosen a model for that.
 */
@Injectable()
export class DocumentSearch {
  constructor(
    private readonly db: DataSource,
    @Inject(MEANING) private readonly meaning: Meaning,
  ) {}

  /** The chunks that match best, at most three of one document. */
  async search(owner: ProjectScope, by: Asker, text: string, limit: number): Promise<Search> {
    const { reader } = by;
    const [words, nearest] = await Promise.all([
      this.byWords(owner, reader, text, Math.max(limit, mostFused)),
      this.meaning.nearest(owner, by, text, mostFused),
    ]);
    const best = fuseRankings(words, nearest?.found ?? []).slice(0, limit);
    const known = new Map(words.map((one) => [keyOf(one), one]));
    const missing = best.filter((key) => !known.has(keyOf(key)));
    for (const one of await this.read(owner, reader, missing)) known.set(keyOf(one), one);
    const found = best.flatMap((key) => {
      const one = known.get(keyOf(key));
      if (!one) return [];
      const { seq: _seq, ...shown } = one;
      return [shown];
    });
    return { found, note: nearest?.note ?? null };
  }

  private async read(owner: ProjectScope, reader: Reader, keys: ChunkKey[]): Promise<Ranked[]> {
    if (keys.length === 0) return [];
    return (await this.db.query(
      `SELECT ${shownColumns}
         FROM unnest($4::text[], $5::integer[]) AS k(document_id, seq) JOIN engine.chunk c USING (document_id, seq)
         JOIN engine.document d ON d.id = c.document_id
        WHERE d.project_id = $1 AND d.organization_id = $2 AND ${visibleTo('$3', 'd')}`,
      [owner.projectId, owner.organizationId, reader, keys.map((key) => key.document_id), keys.map((key) => key.seq)],
    )) as Ranked[];
  }

  private async byWords(owner: ProjectScope, reader: Reader, text: string, limit: number): Promise<Ranked[]> {
    const question = questionOf(text);
    if (question.words.length + question.pairs.length === 0) return [];
    const { stems, idle } = await this.formsOf(owner, question);
    const telling = question.words.filter((one) => !idle.has(one.folded));
    const words: AskedWord[] = telling.length + question.pairs.length > 0 ? telling : question.words;
    const sought = await this.weighed(owner, soughtOf({ ...question, words }, stems));
    const candidates = candidatesOf(sought).map((term) => within(owner, term));
    if (candidates.length === 0) return [];
    return (await this.db.query(
      `WITH sought AS MATERIALIZED (
         SELECT * FROM jsonb_to_recordset($5::jsonb)
                AS q("any" tsquery, title tsquery, "of" integer, share real, rarity real)),
       -- One index scan a term: for all of them at once Postgres may read the whole table, whose terms are long values.
       candidate AS (
         SELECT DISTINCT c.document_id, c.seq FROM unnest($4::text[]::tsquery[]) AS term
          CROSS JOIN LATERAL (
            SELECT c.document_id, c.seq FROM engine.chunk c JOIN engine.document d ON d.id = c.document_id
             WHERE c.project_id = $1 AND d.project_id = $1 AND d.organization_id = $2
               AND ${visibleTo('$3', 'd')} AND c.terms @@ term
             LIMIT ${mostCompared}) AS c),
       -- The concatenation reads the terms from where Postgres keeps long values once, instead of at each comparison.
       found AS MATERIALIZED (
         SELECT document_id, seq, c.terms || ''::tsvector AS terms
           FROM candidate JOIN engine.chunk c USING (document_id, seq)),
       whole AS (
         SELECT f.document_id, f.seq, sum(q.rarity * CASE WHEN f.terms @@ q.title THEN 1.5 ELSE 1 END) AS words
           FROM found f JOIN sought q ON q."of" IS NULL AND f.terms @@ q."any" GROUP BY f.document_id, f.seq),
       alike AS (
         SELECT f.document_id, f.seq, sum(q.rarity) AS letters, sum(q.share) AS shared
           FROM found f JOIN sought q ON q."of" IS NOT NULL AND f.terms @@ q."any"
          GROUP BY f.document_id, f.seq, q."of"),
       compared AS (
         SELECT document_id, seq, max(words) AS words, sum(letters) AS letters
           FROM (SELECT document_id, seq, words, NULL::real AS letters, 1 AS shared FROM whole
                  UNION ALL SELECT document_id, seq, NULL, letters, shared FROM alike) AS either
          GROUP BY document_id, seq HAVING max(shared) >= ${leastShared}),
       ranked AS (
         SELECT document_id, seq,
                CASE WHEN words IS NULL THEN 0 ELSE 1.0 / (${fusion} + rank() OVER (ORDER BY words DESC NULLS LAST)) END
              + CASE WHEN letters IS NULL THEN 0 ELSE 1.0 / (${fusion} + rank() OVER (ORDER BY letters DESC NULLS LAST)) END
                AS score
           FROM compared),
       placed AS (
         SELECT *, row_number() OVER (PARTITION BY document_id ORDER BY score DESC, seq) AS place FROM ranked)
       SELECT ${shownColumns}
         FROM placed p JOIN engine.chunk c USING (document_id, seq) JOIN engine.document d ON d.id = p.document_id
        WHERE p.place <= ${mostOfOneDocument}
        ORDER BY p.score DESC, d.id DESC, c.seq LIMIT $6`,
      [owner.projectId, owner.organizationId, reader, candidates, storableJson(sought), limit],
    )) as Ranked[];
  }

  /** The stems of each word in the languages of the project's documents, and the words that are frequent in any text. */
  private async formsOf(owner: ProjectScope, { words, language }: Question) {
    const rows = (await this.db.query(
      `WITH RECURSIVE spoken AS (
         (SELECT language FROM engine.chunk WHERE project_id = $1 AND language > '' ORDER BY language LIMIT 1)
          UNION ALL
         SELECT (SELECT c.language FROM engine.chunk c WHERE c.project_id = $1 AND c.language > spoken.language
                  ORDER BY c.language LIMIT 1) FROM spoken WHERE spoken.language IS NOT NULL)
       SELECT w.folded, array_agg(DISTINCT stem) FILTER (WHERE stem IS NOT NULL) AS stems,
              coalesce(bool_or(ts_lexize(($3::text || '_stem')::regdictionary, w.word) = '{}'), false) AS idle
         FROM jsonb_to_recordset($2::jsonb) AS w(word text, folded text)
         LEFT JOIN (SELECT language FROM spoken WHERE language IS NOT NULL LIMIT ${mostLanguages}) AS s ON true
         LEFT JOIN LATERAL (
           SELECT unnest(ts_lexize((s.language || '_stem')::regdictionary, w.word)
                      || ts_lexize((s.language || '_stem')::regdictionary, w.folded)) AS stem) AS stemmed ON true
        GROUP BY w.folded`,
      [owner.projectId, storableJson(words), language],
    )) as { folded: string; stems: string[] | null; idle: boolean }[];
    return {
      stems: new Map(rows.map((row) => [row.folded, (row.stems ?? []).map((stem) => stemMark + stem)])),
      idle: new Set(rows.filter((row) => row.idle).map((row) => row.folded)),
    };
  }

  /** What occurs in the project, and how rare it is: the logarithm of chunks per chunk that has it, as BM25 weighs. */
  private async weighed(owner: ProjectScope, sought: Sought[]): Promise<Weighted[]> {
    const rows = (await this.db.query(
      `SELECT (SELECT count(*)::integer FROM (
                 SELECT FROM engine.chunk WHERE project_id = $1 LIMIT ${mostCounted}) AS counted) AS all,
              array_agg((SELECT count(*)::integer FROM (
                 SELECT FROM engine.chunk c WHERE c.project_id = $1 AND c.terms @@ q.query LIMIT ${mostMatching}) AS matching)
                ORDER BY q.at) AS matching
         FROM unnest($2::text[]::tsquery[]) WITH ORDINALITY AS q(query, at)`,
      [owner.projectId, sought.map(({ any }) => within(owner, any))],
    )) as { all: number; matching: number[] }[];
    const { all, matching } = rows[0] ?? { all: 0, matching: [] };
    return sought.flatMap((one, at) => {
      const chunks = matching[at] ?? 0;
      const rarity = Math.log(1 + (Math.max(all, chunks) - chunks + 0.5) / (chunks + 0.5));
      return chunks === 0 ? [] : [{ ...one, chunks, rarity }];
    });
  }
}

const shownColumns = 'd.id AS document_id, c.seq, d.title, c.text AS excerpt, c.start AS offset, d.trust, d.source';

/** The rarest of each kind, as many as may be compared; at least one. */
function candidatesOf(sought: Weighted[]): string[] {
  return [true, false].flatMap((isWhole) => {
    let chunks = 0;
    return sought
      .filter((one) => (one.of === null) === isWhole)
      .toSorted((one, other) => one.chunks - other.chunks)
      .filter((one, at) => (chunks += one.chunks) <= mostCompared || at === 0)
      .map(({ any }) => any);
  });
}

const within = (owner: ProjectScope, query: string) => `${anyOf([projectTerm(owner.projectId)])} & (${query})`;
