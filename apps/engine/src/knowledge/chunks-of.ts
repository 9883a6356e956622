const chunkChars = 1_500;

export interface TextChunk {
  start: number;
  text: string;
  /** The Markdown heading that it begins under. */
  heading: string | null;
}

/** Cuts a text into chunks for search: at a paragraph where there is one, else at a space. */
export function chunksOf(text: string): TextChunk[] {
  const chunks: TextChunk[] = [];
  let start = 0;
  let heading: string | null = null;
  while (start < text.length) {
    const end = endOf(text, start);
    const part = text.slice(start, end);
    if (part.trim() !== '') chunks.push({ start, text: part, heading });
    heading = headingsOf(part).at(-1) ?? heading;
    start = end;
  }
  return chunks;
}

function endOf(text: string, start: number): number {
  const limit = start + chunkChars;
  if (limit >= text.length) return text.length;
  const part = text.slice(start, limit);
  const paragraph = part.lastIndexOf('\n\n');
  if (paragraph > chunkChars / 3) return start + paragraph + 2;
  const space = part.search(/\s\S*$/);
  if (space > chunkChars / 3) return start + space + 1;
  // A cut inside a surrogate pair would leave two invalid halves.
  return /[\uD800-\uDBFF]$/.test(part) ? limit - 1 : limit;
}

/** The Markdown headings of a text. */
export function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6}[ \t]+(\S.*)$/gmu)].map(([, words = '']) => words.trim());
}
