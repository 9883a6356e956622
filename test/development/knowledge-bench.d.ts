/** Types for the parts of the benchmark of knowledge, which is plain JavaScript, that tests use. */
interface Named {
  name: string;
  text: string;
}
interface Origin {
  model: string;
  version: string;
  licence: string;
  source: string;
  made: string;
}

declare module '*/knowledge/corpora.mjs' {
  export function readCorpora(): { language: string }[];
  export function embeddedTexts(corpora: { language: string }[]): Named[];
}

declare module '*/knowledge/vector-file.mjs' {
  export const mostBytes: number;
  export function packVectors(
    origin: Origin,
    texts: Named[],
    vectors: number[][],
  ): Origin & { dimensions: number; encoding: string; vectors: Record<string, string> };
  export function openVectorFile(
    stored: unknown,
    texts: Named[],
  ): { origin: Origin; vectorOf(text: string): number[] | undefined };
}
