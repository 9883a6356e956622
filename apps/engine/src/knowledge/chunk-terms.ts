import { storableJson } from '#libs/database';
import { headingsOf } from './chunks-of.js';
import type { Statements } from './fact-rows.js';
import { languageOf } from './language-of.js';
import { folded, gramsOf, wordsOf } from './words-of.js';

/**
 * The terms of a chunk are a tsvector without positions. What a term stands for is in its first letter: none for a
 * word without its accents or a pair of letters, `~` for a stem, `#` for three letters of a word, `^` for any of these
 * in a title or heading, `=` for the project.
 */
export const stemMark = '~';
export const gramMark = '#';
export const titleMark = '^';
const projectMark = '=';

export const projectTerm = (projectId: string): string => `${projectMark}${projectId}`;

export interface ChunkText {
  document_id: string;
  seq: number;
  project_id: string;
  title: string;
  /** The Markdown heading that the chunk begins under. */
  heading: string | null;
  text: string;
}

/** The language that a chunk's words are stemmed by: what was declared with its document, else what its words speak for. */
const spoken = "coalesce(nullif(c.language, ''), t.language)";

/** Makes chunks that are stored findable. */
export async function storeTerms(db: Statements, chunks: ChunkText[]): Promise<void> {
  const rows = chunks.map(({ document_id, seq, project_id, title, heading, text }) => {
    const head = wordsOf([title, heading ?? '', ...headingsOf(text)].join('\n'));
    const body = wordsOf(text);
    const foldedBody = body.words.map(folded);
    const foldedHead = head.words.map(folded);
    const terms = [
      projectTerm(project_id),
      ...foldedBody,
      ...foldedHead,
      ...body.pairs,
      ...head.pairs,
      ...[...foldedHead, ...head.pairs].map((term) => titleMark + term),
      ...[...foldedBody, ...foldedHead].flatMap(gramsOf).map((gram) => gramMark + gram),
    ];
    return {
      document_id,
      seq,
      language: languageOf([...body.words, ...head.words]),
      terms: [...new Set(terms)],
      // Endings are known by their accents, which people leave out: both forms are stemmed.
      words: [...new Set([...body.words, ...foldedBody])],
      head: [...new Set([...head.words, ...foldedHead])],
    };
  });
  await db.query(
    `UPDATE engine.chunk c
        SET language = coalesce(${spoken}, ''),
            terms = array_to_tsvector(t.terms
              || ARRAY(SELECT '${stemMark}' || stem FROM unnest(t.words || t.head) AS word
                        CROSS JOIN unnest(ts_lexize((${spoken} || '_stem')::regdictionary, word)) AS stem)
              || ARRAY(SELECT '${titleMark}${stemMark}' || stem FROM unnest(t.head) AS word
                        CROSS JOIN unnest(ts_lexize((${spoken} || '_stem')::regdictionary, word)) AS stem))
       FROM jsonb_to_recordset($1::jsonb)
         AS t(document_id text, seq integer, language text, terms text[], words text[], head text[])
      WHERE c.document_id = t.document_id AND c.seq = t.seq`,
    [storableJson(rows)],
  );
}
