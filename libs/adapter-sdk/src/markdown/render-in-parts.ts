import { splitText } from '../split-text.js';
import type { MarkdownDialect } from './dialect.js';
import { renderMarkdown } from './render-markdown.js';

/**
 * The text in a dialect, in self-contained parts: the Markdown is cut (`splitText`), never its rendering, so no tag is
 * split. `measure` counts as the provider does, for example after its entities are parsed. A part exceeds the limit
 * only if the rendering of a single character does.
 */
export function renderInParts(
  markdown: string,
  dialect: MarkdownDialect,
  { maxLength, measure = (text) => text.length }: { maxLength: number; measure?: (rendered: string) => number },
): { text: string; parts: string[]; lossy: string[] } {
  const whole = renderMarkdown(markdown, dialect);
  if (whole.text.trim() === '') return { ...whole, parts: [] };
  if (measure(whole.text) <= maxLength) return { ...whole, parts: [whole.text] };
  return { ...whole, parts: fit(markdown, maxLength) };

  function fit(source: string, length: number): string[] {
    return splitText(source, Math.max(length, 1)).flatMap((piece) => {
      const { text } = renderMarkdown(piece, dialect);
      if (text.trim() === '') return [];
      return measure(text) <= maxLength || piece.length <= 1 ? [text] : fit(piece, Math.floor(piece.length / 2));
    });
  }
}
