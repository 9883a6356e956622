export interface ChunkKey {
  document_id: string;
  seq: number;
}

export const mostOfOneDocument = 3;

/**
 * Of reciprocal rank fusion (Cormack et al. 2009): a chunk at place p of a ranking scores weight / (steepness + p). Their
 * 60 makes a chunk that both rankings have anywhere win over the first of one of them. That is right for rankings that
 * are equally good. Models of embeddings are not: one that does not know a language ranks its chunks by chance. With these,
 * the first four by words are passed only by what both find, and the first by meaning passes the fifth.
 */
const steepness = 3;
const weights = { words: 1, meaning: 0.55 };

export const keyOf = ({ document_id, seq }: ChunkKey): string => `${document_id} ${seq}`;

/** Chunks by how near to the top two rankings have them, at most three of one document. */
export function fuseRankings(words: ChunkKey[], meaning: ChunkKey[]): ChunkKey[] {
  const scored = new Map<string, { key: ChunkKey; score: number }>();
  const add = (ranking: ChunkKey[], weight: number): void => {
    for (const [at, key] of ranking.entries()) {
      const before = scored.get(keyOf(key))?.score ?? 0;
      scored.set(keyOf(key), { key, score: before + weight / (steepness + at + 1) });
    }
  };
  add(words, weights.words);
  add(meaning, weights.meaning);
  const taken = new Map<string, number>();
  return [...scored.values()]
    .sort((one, other) => other.score - one.score)
    .map(({ key }) => key)
    .filter(({ document_id: id }) => {
      taken.set(id, (taken.get(id) ?? 0) + 1);
      return (taken.get(id) ?? 0) <= mostOfOneDocument;
    });
}
