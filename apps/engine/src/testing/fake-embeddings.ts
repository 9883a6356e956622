import { fakeProvider, type FakeProvider } from './fake-provider.js';

/** Which words say the same, each with a dimension of its own. */
export type Concepts = readonly (readonly string[])[];

export interface FakeEmbeddings extends FakeProvider {
  /** All texts that were put into vectors, in their order. */
  texts: string[];
  /** Texts with this in them are refused, as by a model of few tokens; null: none. */
  refuses(part: RegExp | null): void;
  /** So many tokens a request is said to have used; null: the answer does not say. */
  counts(tokens: number | null): void;
  /** Requests wait for this first. */
  waits(until: (texts: string[]) => Promise<unknown>): void;
  /** Requests are answered with this status; null: with vectors. */
  failsWith(status: number | null): void;
}

/**
 * An OpenAI-compatible endpoint of embeddings whose vectors count the words of each concept. A model named `turned` has
 * them in the opposite order, so that its vectors say something else of the same dimensions.
 */
export async function fakeEmbeddings(concepts: Concepts): Promise<FakeEmbeddings> {
  const provider = await fakeProvider();
  const texts: string[] = [];
  let refused: RegExp | null = null;
  let waiting: (texts: string[]) => Promise<unknown> = async () => undefined;
  let status: number | null = null;
  let tokens: number | null = 1;
  const vectorOf = (text: string, model: string): number[] => {
    const counts = concepts.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length);
    const vector = [...counts, 0.01];
    return model === 'turned' ? vector.toReversed() : vector;
  };
  provider.answer(({ body }) => (response) => {
    const asked = [body['input']].flat() as string[];
    const model = String(body['model']);
    const end = (code: number, json: object): void =>
      void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    void waiting(asked).then(() => {
      if (status !== null) return end(status, { error: { message: 'not now' } });
      const wrong = refused;
      if (wrong !== null && asked.some((text) => wrong.test(text)))
        return end(400, { error: { message: 'This is more than the 16 tokens of the input' } });
      texts.push(...asked);
      const data = asked.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, model) }));
      end(200, {
        object: 'list',
        data,
        model,
        ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      });
    });
  });
  return Object.assign(provider, {
    texts,
    refuses: (part: RegExp | null) => {
      refused = part;
    },
    counts: (next: number | null) => {
      tokens = next;
    },
    waits: (until: (texts: string[]) => Promise<unknown>) => {
      waiting = until;
    },
    failsWith: (next: number | null) => {
      status = next;
    },
  });
}
